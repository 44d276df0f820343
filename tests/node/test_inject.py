#!/usr/bin/env python3
# suite: check
# limit: 240
"""Node carries the adapter as if it were not there, and its marks are counted."""
import json
import re
import resource

from node_case import (ADAPTER, clocks, environment, folder, greeted, node, root, script, steps, tare)

# What a program can see of itself; docs/internals/node.md says what differs.
LOOK = """
const mine = Object.keys(process.env).filter((k) => !/^(LD_PRELOAD|TARE_|NODE_OPTIONS|PYTHONPATH)/.test(k));
console.log(JSON.stringify({
  argv: process.argv.length, execArgv: process.execArgv, environment: mine.sort(),
  globals: Object.keys(globalThis).sort(),
  main: typeof require === 'function' && require.main === module,
  handles: process._getActiveHandles().length, limit: Error.stackTraceLimit,
  prepare: typeof Error.prepareStackTrace, listeners: process.eventNames(),
}));
"""


def same(text, ending="js", **keywords):
    path = script(text, ending)
    return tare.same([node(), path], env=environment(**keywords))


def commonjs():
    run = same(LOOK)
    assert greeted(root(run)), root(run)["notes"]


def modules():
    run = same("import fs from 'fs'; await 0; console.log(import.meta.url.length > 0, typeof fs);\n",
               "mjs")
    assert greeted(root(run)), root(run)["notes"]


def other_ways():
    for command in (["-e", "console.log(1)"], ["-p", "1+1"], ["--check", script("let x = 1;")],
                    ["--no-warnings", "-e", "console.log(process.execArgv)"]):
        tare.same([node(), *command], env=environment())


def own_options():
    """The user's own NODE_OPTIONS stay behind ours, and work."""
    here = folder(first_js="globalThis.first = 1;")
    option = f"--require {here}/first.js --no-deprecation"
    run = tare.traced([node(), "-p", "globalThis.first + ' ' + process.env.NODE_OPTIONS"],
                      env=environment(NODE_OPTIONS=option))
    said = run.out.decode().strip()
    assert said == f"1 --require={ADAPTER}/tare.cjs {option}", said


def children():
    """A child, its child, and a worker thread."""
    text = """
    const { execFileSync } = require('child_process');
    const { Worker, isMainThread } = require('worker_threads');
    if (isMainThread) {
      const again = `require('child_process').execFileSync(process.execPath, ['-e', 'Buffer.alloc(9e6)'])`;
      execFileSync(process.execPath, ['-e', again + '; Buffer.alloc(9e6)']);
      new Worker(__filename).on('exit', (code) => console.log('worker', code));
    } else {
      console.log(require('tare').active());
    }"""
    run = tare.traced([node(), script(text)], env=environment())
    assert run.out == b"true\nworker 0\n", run.out + run.err
    assert sum(greeted(p) for p in run.processes()) == 3, [p["notes"] for p in run.processes()]


def marks():
    text = """
    const tare = require('tare');
    for (let i = 0; i < 40; i++) tare.scope('piece', () => { Buffer.alloc(100000); tare.step(); });
    console.log(tare.active(), tare.scope('x', () => 5));
    try { tare.scope('y', () => { throw new Error('mine'); }); } catch (e) { console.log(e.message); }"""
    run = tare.traced([node(), script(text)], env=environment())
    assert run.out == b"true 5\nmine\n", run.out + run.err
    assert steps(run) == ("mark", 40), steps(run)


def marks_without_probe():
    text = f"""const tare = require({json.dumps(str(ADAPTER / 'modules/tare'))});
    tare.step(); console.log(tare.active(), tare.scope('x', () => 7));"""
    alone = tare.plain([node(), script(text)])
    assert alone.out == b"false 7\n" and alone.err == b"", alone.out + alone.err


def another_tare():
    """A package of that name that the program has wins."""
    path = script("console.log(require('tare'));")
    place = path.parent / "node_modules/tare"
    place.mkdir(parents=True)
    (place / "index.js").write_text("module.exports = 'theirs';")
    run = tare.traced([node(), path], env=environment())
    assert run.out == b"theirs\n", run.out + run.err


def turns():
    text = """let n = 0; function turn() { if (++n < 60) setTimeout(turn, 1); } turn();"""
    run = tare.traced([node(), script(text)], env=environment())
    assert 55 <= clocks(run).get("turn", 0) <= 65, clocks(run)


def requests():
    text = """
    const http = require('http');
    const server = http.createServer((req, res) => res.end('ok'));
    server.listen(0, async () => {
      for (let i = 0; i < 50; i++) {
        await new Promise((ok) => http.get({ port: server.address().port, agent: false },
          (res) => res.resume().on('end', ok)));
      }
      server.close();
    });"""
    run = tare.traced([node(), script(text)], env=environment())
    assert steps(run) == ("request", 50), steps(run)


def endings():
    """Every way to end has the program's own status and output, and leaves a readable ledger."""
    head = "const kept = []; for (let i = 0; i < 50; i++) kept.push(Buffer.alloc(1e5));\n"
    for text in ("process.exit(3);", "throw new Error('mine');", "process.exitCode = 4;",
                 "Promise.reject(new TypeError('late'));", "process.abort();",
                 "process.kill(process.pid, 'SIGKILL');", "process.kill(process.pid, 'SIGTERM');",
                 "process.on('exit', () => console.log('bye')); setTimeout(() => process.exit(0), 5);",
                 "process.on('uncaughtException', () => console.log('caught')); throw 1;"):
        run = tare.same([node(), script(head + text)], env=environment(),
                        clean=lambda out: re.sub(rb"(?m)^.*(0x[0-9a-f]+|/files-).*$", b"", out))
        assert root(run)["seconds"] > 0


def listeners_at_exit():
    """Ours runs last, whoever comes later."""
    text = """process.on('exit', () => { console.log(1); process.on('exit', () => {}); });
    process.once('exit', () => console.log(2));"""
    same(text)


def wrong_environment():
    """Without the probe in the process the script does nothing."""
    done = tare.plain([node(), "-r", ADAPTER / "tare.cjs", "-p", "1"], env=environment())
    assert (done.status, done.out, done.err) == (0, b"1\n", b""), done.err


def headers():
    """Our declarations of Node-API agree with Node's own, where those are installed."""
    place = next((p for p in ("/usr/include/node", "/usr/include/nodejs/src")
                  if tare.Path(p, "node_api.h").exists()), None)
    if not place:
        raise tare.Skip("Node's headers are not here")
    source = tare.fresh("napi").with_suffix(".c")
    source.write_text('#include <node_api.h>\n#define TARE_NAPI_BESIDE_NODE 1\n#include "napi.h"\n')
    done = tare.plain(["gcc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-I", place, "-I",
                       tare.ROOT / "adapters/node", source])
    assert done.status == 0, done.err.decode()


def numbers():
    """The numbers that the scripts repeat are those of the ledger."""
    from node_case import ledger
    text = (tare.ROOT / "adapters/node/clocks.cjs").read_text()
    for name, number in re.findall(r"([A-Z]+): (\d+)", text):
        assert ledger.CLOCKS[name.lower()] == int(number), name
    text = (tare.ROOT / "adapters/node/engine.cjs").read_text()
    for name in ("TENSOR", "TENSOR_MANAGED"):
        there = re.search(rf"\bSITE_{name} = (\d+)", ledger.LAYOUT).group(1)
        here = re.search(rf"\b{name} = (\d+)", text).group(1)
        assert here == there, name


def notes():
    """The notes that the doctor decides by begin as the scripts write them."""
    table = (tare.ROOT / "src/ledger/known_texts.def").read_text()
    known = re.findall(r'KNOWN_TEXT\(note_\w+, "([^"]+)"\)', table)
    scripts = "".join(path.read_text() for path in sorted((tare.ROOT / "adapters/node").glob("*.cjs")))
    assert len(known) == 2, known
    for text in known:
        assert re.search(r"probe\.note\(['`]" + re.escape(text), scripts), text


def start_up():
    """At most 30 ms of processor time more than with the probe alone, in the best of several tries."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def best(**more):
        times = []
        for _ in range(9):
            begin = used()
            tare.plain([node(), "-e", "0"], env=environment(**more))
            times.append(used() - begin)
        return min(times)
    here = tare.fresh()
    here.mkdir(mode=0o700)
    probe = {"LD_PRELOAD": tare.PROBE}
    cost = best(**probe, NODE_OPTIONS=f"--require={ADAPTER}/tare.cjs", TARE_DIR=here) - best(**probe)
    assert cost < 0.030, f"{cost * 1000:.1f} ms"


tare.Cases().each({function.__name__: function for function in (
    commonjs, modules, other_ways, own_options, children, marks, marks_without_probe, another_tare,
    turns, requests, endings, listeners_at_exit, wrong_environment, headers, numbers, notes, start_up)})
