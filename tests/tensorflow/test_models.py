#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 1500
"""Models built and trained one after another: the clock, what TensorFlow keeps, and what helps."""
import json

from tensorflow_case import QUIET, clocks, folder, interpreter, judged, registries, root, run, steps, tare

MODELS = """
import numpy as np, keras
x, y = np.random.rand(64, 512).astype("f4"), np.random.rand(64, 1).astype("f4")
models = []
for i in range(COUNT):
    model = keras.Sequential([keras.Input((512,)), keras.layers.Dense(512), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    TRAIN
    KEEP
"""
COUNT = 24


def program(count=COUNT, train="model.fit(x, y, batch_size=32, verbose=0)", keep="del model"):
    return MODELS.replace("COUNT", str(count)).replace("TRAIN", train).replace("KEEP", keep)


def cleared_and_trained():
    """What is commonly advised does not help: every training leaves its graph in a registry."""
    text = program(keep="del model; keras.backend.clear_session()")
    done = run(text)
    assert steps(done) == ("model", COUNT), (steps(done), clocks(done))
    grown = registries(done)["TensorFlow's gradient registry"]
    judged(grown.count - grown.first_count >= COUNT, (grown.count, grown.first_count))
    findings = [f for f in root(done)["findings"] if f["kind"] == "unbounded-cache"]
    judged(findings, root(done)["answer"])
    judged("gradient registry" in (findings[0]["held_by"] or ""), findings[0])
    line = 1 + next(i for i, text in enumerate(text.split("\n")) if "model.fit" in text)
    judged(findings[0]["allocated_at"][0]["line"] == line, findings[0]["allocated_at"])
    judged("per model" in findings[0]["summary"], findings[0]["summary"])
    table = {line["keeper"]: line for line in root(done)["per_model"]}
    kept = sum(line["bytes"] for line in table.values() if line["unbounded"])
    judged(table["registry"]["bytes"] > 0.8 * kept > 1_000_000, table)
    judged(not table["collector"]["unbounded"] and not table["slack"]["unbounded"], table)


def dropped():
    """Every variable's kernel stays in a cache until the session is cleared."""
    done = run(program(60, train="pass"))
    kernels = registries(done)["TensorFlow's cache of kernels"]
    judged(kernels.count - kernels.first_count >= 2 * 60, (kernels.count, kernels.first_count))
    named = [f for f in root(done)["findings"] if "cache of kernels" in (f["held_by"] or "")]
    judged(named and named[0]["kind"] == "unbounded-cache", root(done)["answer"])
    judged("clear_session" in named[0]["remedy"]["code"], named[0]["remedy"])
    cleared = registries(run(program(30, train="pass", keep="keras.backend.clear_session()")))
    judged(cleared["TensorFlow's cache of kernels"].count < 60, cleared)


def cleared_and_not_trained():
    done = run(program(train="pass", keep="del model; keras.backend.clear_session()"))
    assert steps(done) == ("model", COUNT), steps(done)
    judged(root(done)["verdict"] in ("clean", "plateau", "fragmentation"), root(done)["answer"])


def kept_in_a_list():
    done = run(program(60, train="pass", keep="models.append(model)"))
    assert steps(done) == ("model", 60), steps(done)
    judged(root(done)["verdict"] in ("retained", "unbounded-cache"), root(done)["answer"])
    judged(any(f["kind"] == "retained" and "models" in (f["held_by"] or "")
               for f in root(done)["findings"]), root(done)["findings"])


def the_registry_emptied():
    """`--try drop-gradient-registry`: what was found is gone, or nearly."""
    script = folder(train=program()) / "train.py"
    directory, answer = tare.fresh(), tare.fresh("answer")
    done = tare.plain([tare.TARE, "run", "-q", "--json", answer, "-o", directory, "--try",
                       "drop-gradient-registry", "--", interpreter(), script], timeout=600,
                      env=tare.environment(**QUIET))
    assert done.status == 0, done.err.decode()[-2000:]
    tried = json.loads(answer.read_text())["tried"]
    before, after = tried["before"]["bytes_per_step"], tried["after"]["bytes_per_step"]
    judged(tried["findings"] and all(found["gone"] for found in tried["findings"]), tried)
    judged(after < before / 4, (before, after))


tare.Cases().each({function.__name__: function for function in (
    cleared_and_trained, dropped, cleared_and_not_trained, kept_in_a_list, the_registry_emptied)})
