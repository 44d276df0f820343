"""Run the interpreter's own tests with and without the probe and compare test by test."""
import importlib.util
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

# "test_name (test.module.Class.test_name) ... ok": what may stand between is what the test printed.
LINE = re.compile(r"^(\w+ \([\w.]+\))(?:\n[^\n]*?)? \.\.\. (.*?)$", re.M)
VERDICT = re.compile(r"(ok|FAIL|ERROR|expected failure|unexpected success|skipped .*)$")
HERE = Path(__file__).parent
HANGS_BY_ITSELF = "*WithThreadsTestPool.test_terminate"  # see multiprocess.py


METHODS = ("fork", "spawn", "forkserver")

# The whole comparison, in `make test-long`; docs/internals/testing.md says why these.
MODULES = """
    test_mmap test_os test_ctypes test_threading test_signal test_subprocess
    test_multiprocessing_fork test_multiprocessing_spawn test_multiprocessing_forkserver
    test_multiprocessing_main_handling test_concurrent_futures test_asyncio
    test_gc test_weakref test_generators test_coroutines test_asyncgen test_context
    test_sys_settrace test_sys_setprofile test_sys test_frame test_traceback test_tracemalloc
    test_code test_compile test_exceptions test_dict test_list test_set test_deque test_functools
    test_collections test_copy test_pickle test_array test_bytes test_io test_memoryview
    test_atexit test_import test_runpy test_site test_cmd_line test_cmd_line_script
    test_faulthandler test_inspect test_posix test_fork1 test_wait4 test_threading_local
    test_contextlib test_queue test_sqlite3 test_zipimport test_logging test_finalization
""".split()


def command_for(module, patterns):
    words = [word for pattern in patterns for word in ("-m" if exists(module) else "-k", pattern)]
    if exists(module):
        return [sys.executable, "-m", "test", "-v", *words, "-i", HANGS_BY_ITSELF, module]
    if method_of(module) and exists("_test_multiprocessing"):
        return [sys.executable, HERE / "multiprocess.py", "-v", *words]
    raise tare.Skip(f"this interpreter does not offer {module}")


def method_of(module):
    """The start method that these tests of multiprocessing are about; None: it is none of them."""
    method = module.rpartition("_")[2]
    return method if module == f"test_multiprocessing_{method}" and method in METHODS else None


def exists(module):
    try:
        return importlib.util.find_spec(f"test.{module}") is not None
    except ModuleNotFoundError:
        return False


def verdicts(output):
    """{test: verdict}; a verdict printed after other output on its line counts as well."""
    found = {}
    for name, rest in LINE.findall(output):
        verdict = VERDICT.search(rest)
        found[name] = verdict.group(1) if verdict else "no verdict on its line"
    for kind, name in re.findall(r"^(FAIL|ERROR): (\w+ \([\w.]+\))", output, re.M):
        found[name] = kind
    return found


def run(module, command, with_probe, timeout):
    work = tare.fresh("python")
    work.mkdir()
    env = tare.environment(PYTHONHASHSEED="0", TMPDIR=str(work),
                           START_METHOD=method_of(module) or "")
    call = tare.traced if with_probe else tare.plain
    result = call(command, env=env, cwd=work, timeout=timeout)
    assert not with_probe or tare.ledgers(result.directory), "no ledger: nothing was compared"
    return tare.as_shell(result.status), verdicts((result.out + result.err).decode(errors="replace"))


def differences(one, other):
    return {name: (one.get(name), other.get(name)) for name in {*one, *other}
            if one.get(name) != other.get(name)}


def compare(module, patterns=(), timeout=280):
    """A test that two runs without the probe decide differently says nothing about the probe; nor
    does one that goes wrong with it once, and twice not: some of Python's own tests race with the
    machine's load. Both are printed."""
    command = command_for(module, patterns)
    status, alone = run(module, command, False, timeout)
    guest_status, guest = run(module, command, True, timeout)
    assert alone, f"no test of {module} was recognised"
    unequal = differences(alone, guest)
    if unequal:
        again_status, again = run(module, command, False, timeout)
        unsteady = differences(alone, again)
        print(f"{module}: {unequal}; of these unsteady without the probe: {sorted(unsteady)}")
        unequal = {name: both for name, both in unequal.items() if name not in unsteady}
        for _ in range(2 if unequal else 0):
            guest_status, guest = run(module, command, True, timeout)
            seldom = unequal.keys() - differences(alone, guest).keys()
            print(f"{module}: with the probe these went wrong, and then not: {sorted(seldom)}")
            unequal = {name: both for name, both in unequal.items() if name not in seldom}
        status = guest_status if again_status == guest_status else status
    assert not unequal, f"{module}: without and with the probe: {unequal}"
    assert status == guest_status, f"{module}: status {guest_status} instead of {status}"
    print(f"{module}: {len(alone)} tests alike, status {status}")
