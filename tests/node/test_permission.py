#!/usr/bin/env python3
# suite: check
# limit: 120
"""Node's permission model and policies: the program starts and says what it says without us, has no more
rights than it was granted, and the report says in one sentence what is missing."""
import base64
import hashlib
import json

from node_case import VERSIONS, environment, folder, greeted, node, root, tare, version

# What it may do; its memory, so that it has a ledger; its options as it sees them.
PROGRAM = """const fs = require('fs');
const kept = [];
for (let i = 0; i < 64; i++) kept.push(Buffer.alloc(100000));
const may = process.permission;
const attempt = (work) => { try { work(); return 'done'; } catch (e) { return e.code; } };
console.log(process.execArgv.length, process.env.NODE_OPTIONS, process.argv.slice(2),
  may && ['fs.read', 'fs.write', 'addon', 'child', 'worker'].map((what) => may.has(what)),
  attempt(() => fs.readFileSync(process.env.SECRET)), attempt(() => process.dlopen({}, '/no/such.node')));
"""
SAID = "permission model or a policy"
FLAG = {"20": "--experimental-permission", "22": "--permission", "24": "--permission"}


def quiet(text):
    """Warnings have the process's number."""
    return b"\n".join(line for line in text.splitlines() if not line.startswith(b"(node:"))


def is_left_out(run):
    mine = [p for p in run.processes() if any(SAID in note for note in p["notes"])]
    assert len(mine) == 1 and not greeted(mine[0]), [p["notes"] for p in run.processes()]


def confined(number, *more, **variables):
    """(command, environment) of a Node that may read its own folder and nothing else."""
    here = folder(main_js=PROGRAM, secret_txt="secret")
    away = folder(secret_txt="secret")
    options = [FLAG[number], f"--allow-fs-read={here}/*", *more]
    return here, options, environment(SECRET=away / "secret.txt", **variables)


def starts(number):
    def case():
        here, options, env = confined(number)
        run = tare.same([version(number), *options, here / "main.js", "--mine"], env=env, clean=quiet)
        assert run.status == 0 and b"ERR_ACCESS_DENIED" in run.out, run.out + run.err
        is_left_out(run)
    return case


def behind_a_value():
    """The option need not be the first, and the one before it may have a value of its own."""
    here, options, env = confined("20")
    (here / "first.js").write_text("globalThis.first = 1;")
    run = tare.same([version("20"), "--require", here / "first.js", *options, here / "main.js"], env=env,
                    clean=quiet)
    is_left_out(run)


def by_the_variable():
    """The user's own NODE_OPTIONS may have it; they stay."""
    here, options, _ = confined("22")
    env = environment(NODE_OPTIONS=" ".join(map(str, options)), SECRET=folder(secret_txt="x") / "secret.txt")
    run = tare.same([version("22"), here / "main.js"], env=env, clean=quiet)
    assert b"--allow-fs-read" in run.out, run.out
    is_left_out(run)


def in_a_child():
    """The shell that starts it carries our option on; the Node beside it is followed as ever."""
    here, options, env = confined("20")
    words = " ".join(map(str, [*options, here / "main.js"]))
    beside = folder(main_js="Buffer.alloc(9e6);") / "main.js"
    run = tare.same(["sh", "-c", f"{version('20')} {words}; {version('20')} {beside}"], env=env, clean=quiet)
    is_left_out(run)
    assert sum(greeted(p) for p in run.processes()) == 1, [p["notes"] for p in run.processes()]


def a_policy():
    """Node 18 and 20 check the bytes of each file that they load."""
    for number in ("18", "20"):
        here = folder(main_js=PROGRAM)
        sum_of = hashlib.sha256((here / "main.js").read_bytes()).digest()
        integrity = "sha256-" + base64.b64encode(sum_of).decode()
        (here / "policy.json").write_text(json.dumps(
            {"resources": {"./main.js": {"integrity": integrity, "dependencies": {"fs": True}}}}))
        env = environment(SECRET="/no/such/file")
        run = tare.same([version(number), f"--experimental-policy={here}/policy.json", here / "main.js"],
                        env=env, clean=quiet)
        assert run.status == 0, run.err.decode()
        is_left_out(run)


def an_argument_of_the_programs():
    """A script's own word of that name is no option of Node's."""
    here = folder(main_js="Buffer.alloc(9e6); console.log(process.argv.slice(2));")
    run = tare.same([node(), here / "main.js", "--permission"], env=environment())
    assert greeted(root(run)), root(run)["notes"]


tare.Cases().each({
    **{f"starts_{v}": starts(v) for v in VERSIONS if v in FLAG},
    "behind_a_value": behind_a_value, "by_the_variable": by_the_variable, "in_a_child": in_a_child,
    "a_policy": a_policy, "an_argument_of_the_programs": an_argument_of_the_programs,
})
