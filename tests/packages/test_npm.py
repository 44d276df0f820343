#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 180
"""The npm package, installed into a fresh folder, by its own name and as `tare`."""
import json
import shutil
import sys
from pathlib import Path

from package_case import (CLEAN_JS, LEAKY_JS, LEAKY_PY, bare, is_clean, is_leak_at, reported,
                          opens_nothing_of_the_tree, packed, run, same_bytes, tare)

PATTERN = "tare-doctor-*.tgz"
made = {}


def project(name):
    """A folder in which npm has installed the package under this name, and nothing else."""
    if not shutil.which("npm"):
        raise tare.Skip("no npm")
    if name not in made:
        package = packed("npm", PATTERN)
        home = tare.fresh("project")
        home.mkdir()
        (home / "package.json").write_text('{"private": true}')
        run(["npm", "install", "--no-audit", "--no-fund", "--offline", "--save-dev",
             f"{name}@file:{package}"], cwd=home, env=environment())
        made[name] = home
    return made[name]


def environment():
    """The node of the tests, and no other way to tare."""
    node = str(Path(shutil.which("node")).parent)
    return bare(PATH=f"{node}:/usr/local/bin:/usr/bin:/bin")


def program(home, name, text):
    (home / name).write_text(text)
    return home / name


def by(home):
    return home / "node_modules/.bin/tare"


def node_programs():
    home = project("tare")
    node, env = shutil.which("node"), environment()
    is_leak_at(reported(by(home), [node, program(home, "leaky.js", LEAKY_JS)], home, env), 4)
    is_clean(reported(by(home), [node, program(home, "clean.js", CLEAN_JS)], home, env))


def with_npx():
    home = project("tare-doctor")
    program(home, "leaky.js", LEAKY_JS)
    done = tare.plain(["npx", "tare", "run", "-o", tare.fresh(), "--exit-code", "--", "node", "leaky.js"],
                      cwd=home, env=environment())
    assert done.status in tare.READABLE, (done.status, done.err.decode()[-1500:])
    tare.judged(done.status == 1 and b"leaky.js:4" in done.err, (done.status, done.err.decode()[-1500:]))


def python_program():
    home = project("tare")
    env = environment()
    leaky = program(home, "train.py", LEAKY_PY)
    is_leak_at(reported(by(home), [Path(sys.executable).resolve(), leaky], home, env), 4)


def names():
    """`require('tare')` and `import` with and without tare; by the package's own name as well."""
    for name in ("tare", "tare-doctor"):
        home = project(name)
        program(home, "cjs.cjs", f"const t = require('{name}'); t.step(); console.log(t.active(), "
                                 f"typeof require('{name}/test').expectNoGrowth);")
        program(home, "esm.mjs", f"import * as t from '{name}'; import {{ expectNoGrowth }} from "
                                 f"'{name}/test'; console.log(t.active(), typeof expectNoGrowth);")
        for file in ("cjs.cjs", "esm.mjs"):
            assert run(["node", file], cwd=home, env=environment()) == "false function\n", (name, file)
            under = run([by(home), "run", "-q", "-o", tare.fresh(), "--", "node", file], cwd=home,
                        env=environment())
            assert under == "true function\n", (name, file, under)


def test_helper():
    """As a person would: npm install, a test file, npx tare run."""
    home = project("tare")
    program(home, "grow.test.js", """
    const { test } = require('node:test');
    const { expectNoGrowth } = require('tare/test');
    const kept = [];
    let latest;
    test('leaky', () => expectNoGrowth(() => { kept.push(Buffer.alloc(20000)); }));
    test('clean', () => expectNoGrowth(() => { latest = Buffer.alloc(20000); }));
    """)
    done = tare.plain(["npx", "tare", "run", "-q", "-o", tare.fresh(), "--", "node",
                       "--test-reporter=tap", "grow.test.js"], cwd=home, env=environment())
    said = done.out.decode()
    assert "ok 1 - leaky" in said and "ok 2 - clean" in said, said
    tare.judged("not ok 1 - leaky" in said and "\nok 2 - clean" in said, said)
    tare.judged("grow.test.js:6" in said, said)


def description():
    """One version, and no file that the tree does not have a place for."""
    home = project("tare")
    answer = json.loads((home / "node_modules/tare/package.json").read_text())
    said = run([by(home), "--version"], env=environment()).split()[-1]
    assert answer["version"] == said and answer["name"] == "tare-doctor", answer
    assert (home / "node_modules/tare/share/man/man1/tare-run.1").exists()
    assert (home / "node_modules/tare/share/doc/tare/run.md").exists()
    assert (home / "node_modules/tare/LICENSE").read_text().startswith("MIT License")


def tree_is_not_needed():
    home = project("tare")
    opens_nothing_of_the_tree(by(home), [shutil.which("node"), program(home, "leaky.js", LEAKY_JS)], home,
                              environment())


tare.Cases().each({
    "node_programs": node_programs, "with_npx": with_npx, "python_program": python_program, "names": names,
    "test_helper": test_helper, "description": description, "tree_is_not_needed": tree_is_not_needed,
    "same_bytes": lambda: same_bytes("npm", PATTERN),
})
