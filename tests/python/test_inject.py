#!/usr/bin/env python3
# suite: check
# limit: 180
"""Python carries the adapter as if it were not there, and its marks are counted."""
import json
import re
import sys

from python_case import INJECT, PYTHON, folder, greeted, interpreters, root, steps, tare

# What a program can see of itself. What differs is said in docs/run.md: three variables, one finder,
# and the modules of the adapter.
LOOK = """
import json, os, sys
ours = ("LD_PRELOAD", "TARE_DIR", "PYTHONPATH", "NODE_OPTIONS")
print(json.dumps({
    "path": sys.path, "argv": sys.argv, "flags": list(sys.flags), "prefix": sys.prefix,
    "executable": sys.executable, "main": sorted(globals()), "hooks": len(sys.path_hooks),
    "cache": sorted(sys.path_importer_cache), "finders": len(sys.meta_path),
    "modules": sorted(m for m in sys.modules if m.split(".")[0] not in ("_tare", "_ctypes", "atexit")),
    "environment": {k: v for k, v in sorted(os.environ.items()) if k not in ours},
    "pythonpath": os.environ.get("PYTHONPATH")}))
"""


def look(run, entry=None):
    seen = json.loads(run.out.decode().splitlines()[-1])
    if entry:
        assert seen["pythonpath"].split(":")[0] == entry, seen["pythonpath"]
        seen["pythonpath"] = ":".join(seen["pythonpath"].split(":")[1:]) or None
        seen["finders"] -= 1
    return seen


def unchanged(words, **keywords):
    alone, guest = tare.plain(words, **keywords), tare.traced(words, **keywords)
    assert (guest.status, guest.err) == (alone.status, alone.err), guest.err.decode()
    one, other = look(alone), look(guest, INJECT)
    wrong = {key: (one[key], other[key]) for key in one if one[key] != other[key]}
    assert not wrong, wrong
    assert greeted(root(guest)), "the adapter was not loaded"


def every_way_to_start():
    here = folder(looking=LOOK)
    unchanged([PYTHON, here / "looking.py", "one", "two"])
    unchanged([PYTHON, "-c", LOOK, "one"])
    unchanged([PYTHON, "-m", "looking"], cwd=here)
    unchanged([PYTHON, "-"], input=LOOK.encode())
    unchanged([PYTHON], input=LOOK.encode())
    unchanged([PYTHON, "-s", "-B", "-bb", "-W", "error", "-X", "dev", "-c", LOOK])


def pythonpath_is_kept():
    here = folder(mine="value = 42")
    for value in (str(here), f"{here}:", f":{here}", f"{here}::/nowhere"):
        unchanged([PYTHON, "-c", "import mine" + LOOK], env=tare.environment(PYTHONPATH=value))
    unchanged([PYTHON, "-c", LOOK], env=tare.environment(PYTHONPATH=None))


def virtual_environment():
    place = tare.fresh("venv")
    made = tare.plain([PYTHON, "-m", "venv", "--without-pip", place])
    if made.status != 0:
        raise tare.Skip("this Python has no venv")
    script = place / "bin" / "console"
    script.write_text(f"#!{place}/bin/python\n{LOOK}")
    script.chmod(0o755)
    unchanged([place / "bin" / "python", "-c", LOOK])
    unchanged([script, "argument"])


def every_version():
    """The adapter knows 3.6 and later; an older Python still starts as ever."""
    for version, path in interpreters().items():
        here = folder(sitecustomize="import sys; sys.stdout.write('mine\\n')")
        code = "import sys; print(sys.path); import sitecustomize; print(sitecustomize.__file__)"
        env = tare.environment(PYTHONPATH=here, PYTHONDONTWRITEBYTECODE=1)
        guest = tare.same([path, "-c", code], env=env)
        known = tuple(map(int, version.split("."))) >= (3, 6)
        assert greeted(root(guest)) == known, f"{version}: {root(guest)['notes']}"
        if known:
            guest = tare.traced([path, "-c", "import tare\nfor _ in range(50): tare.step()"])
            assert (guest.status, guest.err) == (0, b""), guest.err.decode()
            assert steps(guest) == ("mark", 50), f"{version}: {steps(guest)}"


def every_version_loads_what_it_would():
    """The program's modules are the same, and so is `gc`, which the adapter has of its own."""
    ours = {"_ctypes", "atexit"}
    code = ("import sys; print(sorted(sys.modules)); import gc; gc.collect = print; "
            "gc.callbacks.append(lambda *_: None); print(sorted(vars(gc)), gc.isenabled())")
    for version, path in interpreters().items():
        if tuple(map(int, version.split("."))) < (3, 6):
            continue
        alone, guest = (call([path, "-c", code]) for call in (tare.plain, tare.traced))
        assert (guest.status, guest.err) == (alone.status, alone.err), guest.err.decode()
        before, after = (run.out.decode().splitlines() for run in (alone, guest))
        here, there = (set(json.loads(lines[0].replace("'", '"'))) for lines in (before, after))
        more = {name for name in there - here - ours if name.split(".")[0] != "_tare"}
        assert not more and not here - there, f"{version}: {more} more, {here - there} less"
        assert after[1:] == before[1:], f"{version}: {after[1:]} instead of {before[1:]}"
        assert greeted(root(guest)), version


def hidden_sitecustomize():
    """It runs once, under its own name; its errors look as they do without us."""
    texts = ["import sys, tempfile; sys.stderr.write('%s %s\\n' % (__name__, __file__))",
             "raise ValueError('mine')", "import nothing_of_that_name",
             "import sys; sys.path.append('/appended')", "syntax error"]
    for text in texts:
        here = folder(sitecustomize=text)
        env = tare.environment(PYTHONPATH=here)
        code = ("import sys; print(sys.path, 'sitecustomize' in sys.modules)\n"
                "try: import sitecustomize; print(sorted(vars(sitecustomize)))\n"
                "except Exception as error: print(repr(error))")
        tare.same([PYTHON, "-c", code], env=env)
    here = folder(sitecustomize="raise SystemExit(3)")
    alone, guest = (call([PYTHON, "-c", "print(1)"], env=tare.environment(PYTHONPATH=here))
                    for call in (tare.plain, tare.traced))
    assert (guest.status, guest.out) == (alone.status, alone.out), guest.err.decode()


def without_sitecustomize():
    code = "import sys; print('sitecustomize' in sys.modules); import sitecustomize"
    tare.same([PYTHON, "-c", code])


STEPS = """
import multiprocessing, subprocess, sys
def work(n):
    import tare
    keep = [bytearray(4000) for _ in range(300)]
    for _ in range(n):
        tare.step()
    return n, tare.active(), "/inject" in "".join(sys.path)
if __name__ == "__main__":
    method = sys.argv[1]
    if method == "subprocess":
        code = "import tare\\nfor _ in range(60): tare.step()\\nprint('child')"
        subprocess.run([sys.executable, "-c", code], check=True)
    else:
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(pool.map(work, [60]))
"""


def children():
    here = folder(work=STEPS)
    for method in ("fork", "spawn", "forkserver", "subprocess"):
        run = tare.traced([PYTHON, here / "work.py", method])
        assert run.status == 0 and run.err == b"", run.err.decode()
        assert run.out in (b"[(60, True, False)]\n", b"child\n"), run.out
        counted = [p for p in run.processes() if p["steps"]["clock"] == "mark"]
        assert [p["steps"]["count"] for p in counted] == [60], f"{method}: {counted}"
        assert all(greeted(p) for p in counted), method


def marks_are_counted():
    code = ("import tare\nfor i in range(100):\n    with tare.scope('one'):\n        tare.step()\n"
            "with tare.scope('two'), tare.scope('\\u00fc\\0'), tare.scope(7), tare.scope(None): pass\n"
            "try:\n    with tare.scope('three'): raise KeyError\nexcept KeyError: print(tare.active())")
    run = tare.traced([PYTHON, "-c", code])
    assert (run.status, run.out, run.err) == (0, b"True\n", b""), run.err.decode()
    assert steps(run) == ("mark", 100), steps(run)


def bad_arguments():
    code = ("from tare import _probe\n"
            "for clock in (0, 14, 16, 99, -1, 2**31 - 1): _probe.tick(clock)\n"
            "_probe.hello(None); _probe.hello(b'x' * 100000); _probe.hello(b'')\n"
            "_probe.scope_begin(None); _probe.scope_end(); _probe.scope_end()\n"
            "print('alive')")
    run = tare.traced([PYTHON, "-c", code])
    assert (run.status, run.out, run.err) == (0, b"alive\n", b""), run.err.decode()
    assert steps(run)[0] == "time", steps(run)


def without_the_probe():
    code = ("import tare\nfor i in range(9): tare.step()\n"
            "with tare.scope('x'): print(tare.active(), 'ctypes' in __import__('sys').modules)")
    env = tare.environment(PYTHONPATH=tare.ROOT / "adapters" / "python")
    for more in ({}, {"TARE_DIR": "/nowhere"}):
        run = tare.plain([PYTHON, "-c", code], env={**env, **more})
        assert (run.status, run.out, run.err) == (0, b"False False\n", b""), run.err.decode()
    env["PYTHONPATH"] = INJECT
    run = tare.plain([PYTHON, "-c", "import sys; print([m for m in sys.modules if 'tare' in m])"],
                     env=env)
    assert (run.out, run.err) == (b"[]\n", b""), run.out + run.err
    run = tare.plain([PYTHON, "-c", "import tare"], env=env)
    assert b"No module named 'tare'" in run.err, run.err.decode()


def a_module_named_tare():
    here = folder(tare="print('the user\\'s own')")
    guest = tare.same([PYTHON, "-c", "import tare; print(tare.__file__)"], cwd=here)
    assert b"user's own" in guest.out


def isolated():
    """Where Python does not look for it, the adapter comes in a pending call, and as quietly."""
    code = "keep = [bytearray(200000) for _ in range(20)]" + LOOK
    work = ("import sys\nkeep = [bytearray(200000) for _ in range(20)]\nimport tare\n"
            "for i in range(60): tare.step()\nprint('__file__' in globals(), sys.flags.isolated)")
    here = folder(__main__=work, looking=code, work=work)
    archive = tare.fresh("app").with_suffix(".pyz")
    assert tare.plain([PYTHON, "-m", "zipapp", here, "-o", archive]).status == 0
    for options in (["-I"], ["-E"], ["-S"], ["-I", "-S", "-X", "dev"]):
        alone, guest = (call([PYTHON, *options, here / "looking.py", "word"])
                        for call in (tare.plain, tare.traced))
        assert (guest.status, guest.err) == (alone.status, alone.err), guest.err.decode()
        one, other = look(alone), look(guest)
        other["finders"] -= 1
        other["pythonpath"] = one["pythonpath"]
        wrong = {key: (one[key], other[key]) for key in one if one[key] != other[key]}
        assert not wrong, (options, wrong)
        assert greeted(root(guest)), (options, root(guest)["notes"])
        for words in ([here / "work.py"], [archive], ["-c", work]):
            run = tare.traced([PYTHON, *options, *words])
            assert (run.status, run.err) == (0, b""), (options, words, run.err.decode())
            assert steps(run) == ("mark", 60), (options, words, steps(run))


def too_small_to_matter():
    """A process that allocates next to nothing has no pending call, and says nothing of it."""
    for option in ("-I", "-E", "-S"):
        tare.same([PYTHON, option, "-c", "print(1)"])


def clocks_agree():
    table = (tare.ROOT / "src/ledger/clocks.def").read_text()
    known = {name.upper(): int(number) for number, name in re.findall(r"CLOCK\((\d+), (\w+)", table)}
    sys.path.insert(0, str(tare.ROOT / "adapters/python/tare"))
    import _clocks  # pylint: disable=import-outside-toplevel,import-error
    ours = {name: value for name, value in vars(_clocks).items() if name.isupper()}
    assert ours and all(known.get(name) == value for name, value in ours.items()), (ours, known)


def store_names_agree():
    """The doctor finds the stores that it knows by the names that this adapter gives them."""
    table = (tare.ROOT / "src/ledger/known_texts.def").read_text()
    known = set(re.findall(r'KNOWN_TEXT\(store_\w+, "([^"]+)"\)', table))
    source = "".join((tare.ROOT / "adapters/python/tare" / name).read_text()
                     for name in ("_registries.py", "_tensorflow.py"))
    of_probe = "TensorFlow's cache of kernels"
    assert len(known) == 4 and of_probe in known, known
    assert {name for name in known if f'b"{name}"' in source} == known - {of_probe}, known


def installed():
    place = tare.fresh("prefix")
    build = tare.TARE.rsplit("/", 1)[0]
    assert "variant" in build or tare.plain(
        ["make", "-C", tare.ROOT, "-s", "install", f"PREFIX={place}"]).status == 0
    if not place.exists():
        raise tare.Skip("only the plain build is installed")
    directory = tare.fresh()
    run = tare.plain([place / "bin" / "tare", "run", "-q", "-o", directory, "--", PYTHON, "-c",
                      "import tare\nfor _ in range(40): tare.step()\nprint(tare.__file__)"])
    assert run.out.decode() == f"{place}/lib/tare/python/tare/__init__.py\n", run.out + run.err
    run.directory = directory
    assert steps(run) == ("mark", 40)


tare.Cases().each({function.__name__: function for function in (
    every_way_to_start, pythonpath_is_kept, virtual_environment, every_version,
    every_version_loads_what_it_would, hidden_sitecustomize, without_sitecustomize, children,
    marks_are_counted, bad_arguments, without_the_probe, a_module_named_tare, isolated,
    too_small_to_matter, clocks_agree, store_names_agree, installed)})
