#!/usr/bin/env python3
# suite: check
# limit: 120
"""What a program can see of us in Node: the global object, the listeners, the modules, in every version."""
import json

from node_case import ADAPTER, VERSIONS, environment, folder, greeted, node, root, tare, version

LOOK = """
const chain = (from, out = []) => {
  for (let o = Object.getPrototypeOf(from); o && o !== Object.prototype; o = Object.getPrototypeOf(o)) {
    out.push(Reflect.ownKeys(o).map(String));
  }
  return out;
};
const enumerated = [];
for (const key in globalThis) enumerated.push(key);
const inProcess = [];
for (const key in process) inProcess.push(key);
inProcess.sort();
const events = ['exit', 'beforeExit', 'message', 'newListener', 'uncaughtException', 'warning', 'SIGINT'];
const known = process.eventNames().map(String);
const print = () => console.log(JSON.stringify({
  keys: Object.keys(globalThis), enumerated, own: Reflect.ownKeys(globalThis).map(String).sort(),
  engine: Object.getOwnPropertyDescriptor(globalThis, '_tfengine'),
  known, counts: events.map((e) => [process.listenerCount(e), process.listeners(e).length,
    process.rawListeners(e).length]),
  process: Reflect.ownKeys(process).map(String).sort(), inProcess,
  dlopen: [Object.getOwnPropertyDescriptor(process, 'dlopen'), String(process.dlopen)],
  execArgv: process.execArgv, argv: process.argv.length, title: process.title,
  cache: Object.keys(require.cache), extensions: Object.keys(require.extensions),
  children: module.children.length, main: require.main === module, paths: module.paths,
  handles: process._getActiveHandles().length, resources: process.getActiveResourcesInfo(),
  limit: Error.stackTraceLimit, prepare: typeof Error.prepareStackTrace, gc: typeof gc,
  listeners: process.getMaxListeners(), path: process.env.NODE_PATH,
  // docs/internals/node.md says that these differ
  behind: chain(globalThis).flat().filter((k) => !['_tfengine', 'Symbol(tare)'].includes(k)),
  between: chain(process)[0].filter((k) => k !== 'emit'),
  places: require('module').globalPaths.filter((p) => p !== process.env.OURS),
}));
print();
"""
# Events with many arguments, an error that nobody listens to, `domain`, which replaces emit.
EMITS = """
process.on('mine', function (...words) { console.log(this === process, words.length, words.at(-1)); });
console.log(process.emit('mine'), process.emit('mine', ...Array(30).keys()), process.emit('nobody'));
try { process.emit('error', new RangeError('mine')); } catch (e) { console.log(e.stack); }
const first = require('domain').create();
first.on('error', (e) => console.log('domain', e.message));
process.on('later', () => { throw new Error('thrown'); });
first.run(() => setImmediate(() => process.emit('later')));
process.on('exit', (code) => { console.log('exit', code, new Error('x').stack.split('\\n').length); });
process.once('exit', () => process.on('exit', () => console.log('not reached')));
"""
ENDS = {
    "throws": "process.on('exit', () => { throw new Error('at the end'); });",
    "exits": "process.on('exit', () => process.exit(9));",
    "code": "process.on('exit', () => { process.exitCode = 6; });",
    "counts": "process.on('exit', () => console.log(process.eventNames().includes('exit')));",
    "has_ten_listeners": "for (let i = 0; i < 10; i++) process.on('exit', () => console.log(i));",
    "is_removed": "process.on('exit', console.log); process.removeAllListeners('exit');",
    "own_emit": "const was = process.emit; process.emit = function (...w) { console.log(w[0]); "
                "return was.apply(this, w); };",
}


def sees_nothing(number):
    def case():
        here = folder(main_js=LOOK)
        run = tare.same([version(number), here / "main.js"], env=environment(OURS=ADAPTER / "modules"))
        assert greeted(root(run)), root(run)["notes"]
    return case


def emits(number):
    def case():
        run = tare.same([version(number), folder(main_js=EMITS) / "main.js"], env=environment(),
                        clean=lambda text: text.replace(b"node:events:", b"events:"))
        assert greeted(root(run)), root(run)["notes"]
    return case


def without_excerpt(text):
    """Node's mark below the source of an uncaught error: behind an `exit` it is where the error was made."""
    return b"\n".join(line for line in text.splitlines() if line.strip() != b"^")


def ends(name):
    def case():
        here = folder(main_js=ENDS[name])
        run = tare.same([node(), here / "main.js"], env=environment(), clean=without_excerpt)
        assert greeted(root(run)), root(run)["notes"]
    return case


def an_engine_is_a_property_like_any_other():
    """When TensorFlow.js has put its engine there, it is listed as it is without us."""
    text = """globalThis._tfengine = { own: 1 };
    console.log(Object.keys(globalThis).includes('_tfengine'), globalThis._tfengine.own, _tfengine.own);
    _tfengine = null;
    console.log(_tfengine, delete globalThis._tfengine, Object.keys(globalThis).includes('_tfengine'));"""
    run = tare.same([node(), folder(main_js=text) / "main.js"], env=environment())
    assert run.out == b"true 1 1\nnull true false\n", run.out


def a_module_that_was_asked_for_is_listed():
    text = "require('tare'); console.log(JSON.stringify(Object.keys(require.cache)));"
    run = tare.traced([node(), folder(main_js=text) / "main.js"], env=environment())
    found = [file for file in json.loads(run.out) if file.startswith(str(ADAPTER))]
    assert found == [str(ADAPTER / "modules/tare/index.js")], found


tare.Cases().each({
    **{f"sees_nothing_{v}": sees_nothing(v) for v in VERSIONS},
    **{f"emits_{v}": emits(v) for v in VERSIONS},
    **{f"an_exit_that_{name}": ends(name) for name in ENDS},
    "an_engine_is_a_property_like_any_other": an_engine_is_a_property_like_any_other,
    "a_module_that_was_asked_for_is_listed": a_module_that_was_asked_for_is_listed,
})
