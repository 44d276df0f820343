#!/usr/bin/env python3
# suite: check
# limit: 180
"""What a program takes from a driver (a stand-in, not a real one) and gives back: each entry point, exactly.

standin_driver.c keeps books of its own, and driver_calls.c prints them after each step. The ledger must say
the same, however the program has found the functions. What dlsym answers must not change for anyone else.
"""
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import ledger  # noqa: E402
import tare  # noqa: E402
from tare import Cases, ledgers, plain, traced  # noqa: E402

HERE = Path(__file__).resolve().parent
MARK = ledger.CLOCKS["mark"]
built = {}


def directory():
    """Where all is built, each thing once."""
    if "here" not in built:
        built["here"] = tare.fresh("driver")
        built["here"].mkdir()
    return built["here"]


def build(name, source, *flags):
    if name not in built:
        subprocess.run(["gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
                        f"-I{tare.ROOT}/include", f"-I{tare.ROOT}/src", "-o", directory() / name,
                        HERE / source, *flags, f"-Wl,-rpath,{directory()}", "-pthread", "-ldl"], check=True)
        built[name] = directory() / name
    return built[name]


def library(name, source, *flags):
    return build(name, source, "-fPIC", "-shared", f"-Wl,-soname,{name}", *flags)


def driver(make="cuda"):
    flags = ["-fvisibility=hidden"] + (["-DHIP"] if make == "hip" else [])
    return library("libamdhip64.so.6" if make == "hip" else "libcuda.so.1", "standin_driver.c", *flags)


def program(make="cuda", linked=False):
    flags = (["-DHIP"] if make == "hip" else []) + (["-DLINKED", driver(make)] if linked else [])
    driver(make)
    return build(f"calls-{make}{'-linked' if linked else ''}", "driver_calls.c", *flags)


def gauges(step, names=("used", "blocks", "pinned")):
    return tuple(step.gauges[ledger.GAUGES[f"device_{name}"]] for name in names)


def steps_of(path):
    return [step for step in ledger.Ledger(path).steps() if step.clock[MARK]]


def compare(make, how, what, linked=False):
    """The ledger says after each step what the driver's books said."""
    run = traced([program(make, linked), how, what])
    assert run.status == 0, run.err.decode()
    books = [line.rsplit(" ", 3) for line in run.out.decode().splitlines() if line.count(" ") >= 3]
    assert len(books) > 0 and "failed" not in run.out.decode(), run.out.decode()
    found = [gauges(step) for step in steps_of(ledgers(run.directory)[0])][:len(books)]
    wrong = [f"{i}: {said[0]}: {got} instead of {said[1:]}"
             for i, (said, got) in enumerate(zip(books, found)) if tuple(map(int, said[1:])) != got]
    assert len(found) == len(books) and not wrong, "\n".join(wrong)
    return run


def every_entry_point(make, how, linked=False):
    def case():
        run = compare(make, how, "each", linked)
        kinds = {record.kind for record in ledger.Ledger(ledgers(run.directory)[0]).records("devices")}
        assert kinds == ({0, 3} if make == "hip" else {0, 2}), kinds
    return case


def several_versions_of_one_function():
    run = compare("cuda", "dlsym", "versions")
    assert b"5 2 3\n" in run.out, run.out


def many_threads():
    for make, linked in (("cuda", False), ("cuda", True), ("hip", True)):
        compare(make, "linked" if linked else "lookup", "threads", linked)


def a_library_that_comes_and_goes():
    for how in ("dlsym", "lookup"):
        assert b"still loaded" not in compare("cuda", how, "again").out
    compare("hip", "dlsym", "again")


def a_forked_child_has_its_own():
    run = traced([program(), "lookup", "fork"])
    found = {tuple(gauges(step)[:2] for step in steps_of(path)[-1:]) for path in ledgers(run.directory)}
    assert found == {((100000, 2),), ((11111, 1),)}, found


def a_refused_request_is_recorded():
    for make, how in (("cuda", "dlsym"), ("cuda", "lookup"), ("hip", "dlsym")):
        run = compare(make, how, "too_much")
        device = ledger.Ledger(ledgers(run.directory)[0]).records("devices")[0]
        assert (device.failed_bytes, device.failed_used, device.failed_free) == \
            (123456789, 4 << 20, 6 << 20), device.failed_free


def a_leak_is_at_its_line():
    for linked in (False, True):
        run = compare("cuda", "linked" if linked else "lookup", "leak", linked)
        process = tare.root_process(run.report())
        finding = process["findings"][0]
        assert finding["memory"] == "device" and finding["kind"] == "retained", finding
        rate = finding["bytes_per_step"]
        assert rate["low"] <= 65536 <= rate["high"], rate
        line = next(i for i, text in enumerate((HERE / "driver_calls.c").read_text().splitlines(), 1)
                    if text.endswith("/* kept */"))
        assert any(place["function"] == "keep_table" and place["line"] == line
                   for place in finding["allocated_at"]), finding["allocated_at"]


def blocks_of_a_pool_count_once():
    """What a pool takes from the driver is taken; what it hands out of that is used."""
    driver()
    allocator = library("libstandin.so", "standin_allocator.c")
    run = traced([build("pool", "pool_calls.c", driver(), allocator)])
    assert run.status == 0, run.err.decode()
    want = [tuple(map(int, line.split())) for line in run.out.decode().splitlines()]
    got = [gauges(step, ("used", "taken", "blocks")) for step in steps_of(ledgers(run.directory)[0])]
    got = got[:len(want)]
    assert got == want, f"{got}\ninstead of\n{want}"
    most = ledger.Ledger(ledgers(run.directory)[0]).records("devices")[0].most
    assert most == max(used for used, _, _ in want), most


# ---- dlsym ----

def libraries():
    first = library("libfirst.so", "dlsym_calls.c", "-DFIRST")
    second = library("libsecond.so", "dlsym_calls.c", "-DSECOND")
    local = library("liblocal.so", "dlsym_calls.c", "-DSECOND")
    return first, second, local


def dlsym_answers_as_ever():
    first, second, local = libraries()
    for name, flags in (("asks", []), ("asks-fixed", ["-no-pie", "-fno-pie"])):
        asks = build(name, "dlsym_calls.c", first, second, "-rdynamic", *flags)
        run = tare.same([asks, local])
        assert run.out.startswith(b"2 1 0\n1\n"), run.out
        assert not dlsym_notes(run), dlsym_notes(run)


def dlsym_notes(run):
    return [note for path in ledgers(run.directory) for note in ledger.Ledger(path).notes()
            if "dlsym" in note]


def a_program_with_its_own_dlsym_is_left_alone():
    first, second, local = libraries()
    asks = build("asks-own", "dlsym_calls.c", first, second, "-rdynamic", "-DOTHER", "-DPROGRAM")
    notes = dlsym_notes(tare.same([asks, local]))
    assert len(notes) == 1 and notes[0].startswith("The program has a dlsym"), notes


def a_preloaded_dlsym_is_left_alone():
    """Another library defines dlsym: it hands out what it would without us, and nothing is wrapped."""
    other = library("libother.so", "dlsym_calls.c", "-DOTHER")
    environment = tare.environment(LD_PRELOAD=other)
    calls = [program(), "dlsym", "each"]
    run = traced(calls, env=environment)
    assert run.status == 0 and run.out == plain(calls).out, run.err.decode()
    assert not any(gauges(step)[0] for step in steps_of(ledgers(run.directory)[0]))
    notes = dlsym_notes(run)
    assert len(notes) == 1 and "libother.so has a dlsym" in notes[0], notes
    first, second, local = libraries()
    tare.same([build("asks", "dlsym_calls.c", first, second, "-rdynamic"), local], env=environment)


def without_a_ledger_nothing_changes():
    """The probe is loaded, and off: no run directory."""
    for linked in (False, True):
        command = [program(linked=linked), "linked" if linked else "lookup", "each"]
        alone = plain(command)
        off = plain(command, env=tare.environment(LD_PRELOAD=tare.PROBE))
        assert (off.status, off.out) == (alone.status, alone.out), off.err.decode()


def ctypes_finds_a_driver():
    """Python's ctypes, as Numba uses it."""
    script = f"""
import ctypes
driver = ctypes.CDLL({str(driver())!r})
driver.cuInit(0)
context, made = ctypes.c_void_p(), ctypes.c_uint64()
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 1)
driver.cuCtxSetCurrent(context)
print(driver.cuMemAlloc_v2(ctypes.byref(made), ctypes.c_size_t(54321)))
try:
    print(ctypes.CDLL(None).cuMemAlloc_v2)
except AttributeError as error:
    print("nothing")
"""
    run = traced([sys.executable, "-c", script])
    assert run.out == b"0\nnothing\n", (run.out, run.err.decode())
    devices = ledger.Ledger(ledgers(run.directory)[0]).records("devices")
    assert devices[1].used == 54321 and devices[1].kind == 2, json.dumps([d.used for d in devices])


CASES = {f"every_entry_point,{make},{how}": every_entry_point(make, how, how == "linked")
         for make in ("cuda", "hip") for how in ("dlsym", "lookup", "lookup_thread", "default", "linked")}
for function in (several_versions_of_one_function, many_threads, a_library_that_comes_and_goes,
                 a_forked_child_has_its_own, a_refused_request_is_recorded, a_leak_is_at_its_line,
                 blocks_of_a_pool_count_once, dlsym_answers_as_ever,
                 a_program_with_its_own_dlsym_is_left_alone, a_preloaded_dlsym_is_left_alone,
                 without_a_ledger_nothing_changes, ctypes_finds_a_driver):
    CASES[function.__name__] = function
Cases().each(CASES)
