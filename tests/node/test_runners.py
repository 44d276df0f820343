#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""Runners that compile TypeScript in memory: what is run is in no file, and the report still has the lines
that were written, of buffers, of the heap's objects and of async functions that wait."""
from node_case import environment, judged, node, packages, tare, version
from typescript import CACHE, FEED, MAIN, is_cached, is_fed, is_fed_small, place

RUNNERS = ("tsx@4.19.2", "ts-node@10.9.2", "typescript@5.6.3", "@types/node@20", "esbuild-register@3.6.0")
# A package makes the buffers, behind a wait: of the program only the function that awaits is known.
LIBRARY = """const wait = () => new Promise((done) => setTimeout(done, 3));
exports.load = async (id) => { await wait(); return Buffer.alloc(65536, id); };
"""
AWAITING = """interface Page {
  id: number;
  bytes: Buffer;
}
type Loader = { load(id: number): Promise<Buffer> };
const loader: Loader = require('loader');
const pages: Page[] = [];

async function main(): Promise<void> {
  for (let id: number = 0; id < 600; id++) {
    const bytes: Buffer = await loader.load(id & 255);
    pages.push({ id, bytes });
  }
}
main();
"""
CONFIG = '{"compilerOptions": {"module": "commonjs", "target": "es2020", "esModuleInterop": true}}'


def project(kind="commonjs"):
    """The packages of `loader` and the runners are beside it."""
    place_of_runners = packages("typescript-lines", *RUNNERS)
    here = tare.fresh("project")
    (here / "src").mkdir(parents=True)
    main = MAIN
    if kind == "module":  # which Node's own way of leaving types out can run, too
        main = MAIN.replace("'./cache'", "'./cache.ts'").replace("enum Kind { Small, Large }", "")
    for name, text in (("cache.ts", CACHE), ("main.ts", main), ("feed.ts", FEED), ("wait.ts", AWAITING)):
        (here / "src" / name).write_text(text)
    (here / "package.json").write_text('{"type": "module"}' if kind == "module" else '{"private": true}')
    (here / "tsconfig.json").write_text(CONFIG)
    (here / "node_modules/loader").mkdir(parents=True)
    (here / "node_modules/loader/index.js").write_text(LIBRARY)
    (here / "node_modules/loader/package.json").write_text('{"name": "loader", "type": "commonjs"}')
    for name in ("typescript", "@types", "tsx", "ts-node", "esbuild-register"):
        (here / "node_modules" / name).symlink_to(place_of_runners / "node_modules" / name)
    return here, place_of_runners / "node_modules"


def found_by(words, here):
    """--snapshot: a compiler in the heap makes a snapshot longer than --max-pause allows."""
    env = environment(HOME=str(here), TMPDIR=str(here))
    done = tare.traced(words, ["--snapshot"], timeout=180, env=env, cwd=here)
    assert done.status == 0, done.err.decode()
    assert done.err == b"" or b"rror" not in done.err, done.err.decode()
    found = [f for process in done.processes() for f in process["findings"]  # tsx runs it in a child
             if not f["note"] and f["kind"] in ("retained", "unbounded-cache")]
    judged(found, [(process["answer"], process["notes"]) for process in done.processes()])
    return found[0]


def runner(words_of, name, check, kind="commonjs"):
    def case():
        here, modules = project(kind)
        check(found_by([*words_of(modules), f"src/{name}.ts"], here))
    return case


def is_awaited(found):
    judged(place(found["allocated_at"][0])[:2] == (["src", "wait.ts"], 11), found["allocated_at"])
    judged(place(found["stored_at"])[:2] == (["src", "wait.ts"], 12), found["stored_at"])


def is_fed_evenly(found):
    """Beside 20 MB of a compiler, part of which V8 throws away when its heap is written down."""
    is_fed(found)
    judged(4400 <= found["bytes_per_step"]["estimate"] <= 5600, found["bytes_per_step"])


def tsx(modules):
    return [node(), modules / "tsx/dist/cli.mjs"]


def tsx_by_import(modules):
    return [node(), "--import", modules / "tsx/dist/loader.mjs"]


def ts_node(modules):
    return [node(), modules / "ts-node/dist/bin.js", "-T"]


def esbuild_register(modules):
    """Node 20 refuses to begin with a file of TypeScript; one that is required is compiled."""
    return [node(), "-r", modules / "esbuild-register/register.js", "-e",
            "require(require('path').resolve(process.argv[1]))"]


def stripped(number):
    return lambda modules: [version(number), "--no-warnings", "--experimental-strip-types"]


def transformed(number):
    return lambda modules: [version(number), "--no-warnings", "--experimental-transform-types"]


tare.Cases().each({
    "tsx": runner(tsx, "main", is_cached), "tsx_heap": runner(tsx, "feed", is_fed_small),
    "tsx_awaited": runner(tsx, "wait", is_awaited),
    "tsx_module": runner(tsx_by_import, "main", is_cached, "module"),
    "ts_node": runner(ts_node, "main", is_cached), "ts_node_heap": runner(ts_node, "feed", is_fed_evenly),
    "esbuild_register": runner(esbuild_register, "main", is_cached),
    "strip_types_24": runner(stripped("24"), "main", is_cached, "module"),
    "transform_types_22": runner(transformed("22"), "main", is_cached, "module"),
})
