"""Run NumPy's own tests with and without the probe and compare test by test."""
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
import environments  # noqa: E402

# Memory, threads, buffers and what holds them: where a guest could be in the way.
WHOLE = ["numpy.lib.tests", "numpy.linalg.tests", "numpy.ma.tests", *(
    f"numpy._core.tests.test_{name}" for name in (
        "multithreading", "indexing", "nditer", "memmap", "numeric", "dlpack", "array_coercion",
        "item_selection", "mem_overlap", "regression", "hashtable"))]
SHORT = [f"numpy._core.tests.test_{name}" for name in (
    "multithreading", "memmap", "dlpack", "item_selection", "hashtable")]
LEAST = {"whole": 5000, "short": 200}


def outcomes(path):
    """{test: what came of it}."""
    found = {}
    for case in xml.parse(path).getroot().iter("testcase"):
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        found[f"{case.get('classname')}.{case.get('name')}"] = kinds[0] if kinds else "passed"
    return found


def run(python, modules, with_probe, timeout):
    work = tare.fresh("numpy")
    work.mkdir()
    call = tare.traced if with_probe else tare.plain
    result = call([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={work}/out",
                   "--pyargs", *modules], env=tare.environment(PYTHONHASHSEED="0"), cwd=work,
                  timeout=timeout)
    assert (work / "out").exists(), result.err.decode(errors="replace")[-2000:]
    assert not with_probe or tare.ledgers(result.directory), "no ledger: nothing was compared"
    return tare.as_shell(result.status), outcomes(work / "out")


def compare(modules, least, timeout):
    python = environments.ready("numpy")
    status, alone = run(python, modules, False, timeout)
    guest_status, guest = run(python, modules, True, timeout)
    assert len(alone) >= least, f"only {len(alone)} tests were found"
    unequal = {name: (alone.get(name), guest.get(name)) for name in {*alone, *guest}
               if alone.get(name) != guest.get(name)}
    assert not unequal, f"without and with the probe: {unequal}"
    assert status == guest_status, f"status {guest_status} instead of {status}"
    print(f"NumPy: {len(alone)} tests alike, status {status}")
