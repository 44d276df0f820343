#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 1500
"""What made the peak, on real programs: both copies of a data set with types, shapes and what each
change would save; a corrected twin; a list beside its stack; intermediates of a large batch.

The first run makes build/venv-pytorch, which takes a download and some minutes.
"""
from python_case import judged, root, tare
from torch_case import HEAD, train

ROWS, COLUMNS = 100000, 100
WIDE, NARROW = ROWS * COLUMNS * 8, ROWS * COLUMNS * 4

# Long enough for the doctor to come by while the variables of a function are there.
LOOP = """
    model = network(100, 64, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    until, step = time.monotonic() + SECONDS, 0
    while step < 100 or time.monotonic() < until:
        at = step * 64 % 50000
        loss = (model(X[at:at + 64]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
"""
MAKE = """
    data = np.random.default_rng(0).random((100000, 100))
    X = torch.tensor(data, dtype=torch.float32)
"""
START = HEAD + "import time\nimport numpy as np\n"
IN_FUNCTION = START + "def main():" + MAKE + "    MORE" + LOOP + "main()\n"
AT_TOP = START + (MAKE + "    MORE" + LOOP).replace("\n    ", "\n")


def peaks(run):
    report = root(run)
    judged(report["verdict"] in ("clean", "plateau", "undecided"), report["verdict"])
    return report["peak"]["findings"]


def one(run, kind):
    found = [finding for finding in peaks(run) if finding["kind"] == kind]
    judged(len(found) == 1, [finding["summary"] for finding in peaks(run)])
    return found[0]


def line(part):
    return part["allocated_at"][0]["text"]


def near(got, want, share=0.01):
    judged(abs(got - want) <= share * want, (got, want))


def both_copies(text, held):
    run = train(text, SECONDS="4", MORE="pass")
    found = one(run, "copy")
    source, copy = found["parts"]
    judged((source["variable"], copy["variable"]) == ("data", "X"), found["parts"])
    judged(line(source).startswith("data = ") and line(copy).startswith("X = "), found["parts"])
    judged(held in source["held_by"] and held in copy["held_by"], found["parts"])
    for part, library, dtype in ((source, "numpy", "float64"), (copy, "torch", "float32")):
        array = part["array"]
        judged((array["library"], array["dtype"], array["shape"]) == (library, dtype, "[100000, 100]"))
        judged(part["outlives"] and part["before_steps"], part)
    near(source["bytes"], WIDE)
    near(copy["bytes"], NARROW)
    share, delete, narrow = found["savings"]
    judged(share["code"] == "X = torch.from_numpy(data)" and share["lowers_peak"], share)
    near(share["bytes"], WIDE)
    near(share["remains"], NARROW)
    judged(delete["code"] == "del data" and not delete["lowers_peak"], delete)
    near(delete["bytes"], WIDE)
    near(narrow["bytes"], WIDE - NARROW)
    dataset = one(run, "dataset")
    judged(dataset["parts"][0]["variable"] == "X", dataset)
    judged(dataset["savings"][0]["remains"] < NARROW / 100, dataset)


def both_copies_in_a_function_are_named():
    both_copies(IN_FUNCTION, "main()")


def both_copies_of_a_module_are_named():
    both_copies(AT_TOP, "__main__.")


def the_twin_that_lets_go_of_the_source_has_no_copy():
    run = train(AT_TOP, SECONDS="2", MORE="del data")
    judged(not [f for f in peaks(run) if f["kind"] == "copy"], peaks(run))
    released = one(run, "temporary")
    near(released["parts"][0]["bytes"], WIDE)
    judged(line(released["parts"][0]).startswith("data = "), released)
    judged(released["parts"][0]["kept"] == 0, released)


def an_array_that_shares_the_memory_of_a_tensor_is_there_once():
    shared = AT_TOP.replace("random((100000, 100))", "random((100000, 100), dtype=np.float32)")
    shared = shared.replace("torch.tensor(data, dtype=torch.float32)", "torch.from_numpy(data)")
    run = train(shared, SECONDS="2", MORE="pass")
    found = one(run, "dataset")
    near(found["bytes"], NARROW)
    judged(not [f for f in peaks(run) if f["kind"] == "copy"], peaks(run))


def a_list_beside_its_stack_is_told():
    run = train(START + """
import tare
def load():
    rng, images = np.random.default_rng(0), []
    for one in range(400):
        images.append(rng.random((64, 64, 12)))
    return np.stack(images)
whole = load()
for step in range(300):
    (whole[step:step + 4] * 2).sum()
    tare.step()
    time.sleep(0.01)
""")
    found = one(run, "stacked")
    many, whole = found["parts"]
    judged(line(many).startswith("images.append") and "np.stack" in line(whole), found)
    near(many["blocks"], 400, 0.05)
    near(whole["bytes"], 400 * 64 * 64 * 12 * 8)
    judged(whole["array"]["shape"] == "[400, 64, 64, 12]", whole)
    near(found["savings"][0]["bytes"], 400 * 64 * 64 * 12 * 8, 0.05)
    near(found["savings"][1]["remains"], 64 * 64 * 12 * 8, 0.05)


def intermediates_of_a_large_batch_are_told():
    run = train(HEAD + """
X = torch.zeros(20000, 100)
model = network(100, 1000, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(20):
    loss = (model(X) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""")
    kinds = {line(f["parts"][0]): f for f in peaks(run) if f["kind"] == "intermediate"}
    judged("loss = (model(X) ** 2).mean()" in kinds, peaks(run))
    found = kinds["loss = (model(X) ** 2).mean()"]
    near(found["savings"][0]["bytes"], found["bytes"] / 2, 0.01)
    judged(found["bytes"] >= 0.9 * 20000 * 1000 * 4, found)


def a_leaks_tensors_are_told_with_type_and_shape():
    run = train(HEAD + """
kept = []
optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
for step in range(200):
    kept.append(torch.zeros(32, 64))
    optimizer.step()
""")
    found = [f for f in root(run)["findings"] if not f["note"]]
    judged(found and found[0]["array"], root(run)["findings"])
    array = found[0]["array"]
    judged((array["dtype"], array["shape"], array["bytes"]) == ("float32", "[32, 64]", 8192), array)


def batches_kept_by_the_parent_are_held_shared_memory():
    run = train(HEAD + """
import time
from torch.utils.data import DataLoader, TensorDataset
def main():
    data, kept = TensorDataset(torch.zeros(4000, 3000)), []
    for (batch,) in DataLoader(data, batch_size=16, num_workers=1):
        kept.append(batch)
        time.sleep(0.02)
if __name__ == "__main__":
    main()
""")
    found = [f for f in root(run)["findings"] if not f["note"]]
    judged(found and found[0]["kind"] == "retained", root(run)["findings"])
    judged("'kept' of main()" in found[0]["held_by"], found[0]["held_by"])
    judged(found[0]["array"]["shape"] == "[16, 3000]", found[0]["array"])
    judged("munmap" not in str(found[0]["remedy"]), found[0]["remedy"])
    notes = [note for note in root(run)["notes"] if note.startswith("Open files rose")]
    judged(len(notes) == 1, root(run)["notes"])


tare.Cases().each({function.__name__: function for function in (
    both_copies_in_a_function_are_named,
    both_copies_of_a_module_are_named,
    the_twin_that_lets_go_of_the_source_has_no_copy,
    an_array_that_shares_the_memory_of_a_tensor_is_there_once,
    a_list_beside_its_stack_is_told,
    intermediates_of_a_large_batch_are_told,
    a_leaks_tensors_are_told_with_type_and_shape,
    batches_kept_by_the_parent_are_held_shared_memory)})
