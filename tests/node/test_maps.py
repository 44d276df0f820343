#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""Source maps: programs in TypeScript, compiled by tsc and bundled by esbuild (installed under build/npm),
are told in the lines that were written: where memory is made and stored, the closure that holds it."""
import json

from node_case import environment, node, packages, root, tare

PINS = ("typescript@5.6.3", "esbuild@0.24.0")
CACHE = """// A store that is never emptied.
interface Row {
  id: number;
  bytes: Buffer;
}
const rows: Map<string, Row> = new Map<string, Row>();

export function remember(id: number): number {
  const row: Row = {
    id,
    bytes: Buffer.alloc(65536, id & 255),
  };
  rows.set(`row ${id}`, row);
  return rows.size;
}
"""
MAIN = """import { remember } from './cache';
enum Kind { Small, Large }

async function main(): Promise<void> {
  for (let i: number = 0; i < 300; i++) {
    remember(i);
    await new Promise<void>((done) => setTimeout(done, 5));
  }
}
main();
"""
FEED = """import { EventEmitter } from 'events';
interface Request { id: number }

const feed = new EventEmitter();
feed.setMaxListeners(0);

export function handle(
  request: Request,
): void {
  const rows: Array<Request> = new Array(600).fill(request);

  feed.on('tick', () => rows.length);
}
let turn: number = 0;

(function next(): void {
  handle({ id: turn });
  if (++turn < 800) setTimeout(next, 4);
})();
"""
KNOWN = """declare class Buffer { static alloc(size: number, fill?: number): Buffer; }
declare function setTimeout(call: () => void, wait: number): void;
declare module 'events' {
  class EventEmitter { setMaxListeners(n: number): void; on(name: string, call: () => void): void; }
}
"""


def project():
    here = tare.fresh("project")
    (here / "src").mkdir(parents=True)
    for name, text in (("cache.ts", CACHE), ("main.ts", MAIN), ("feed.ts", FEED), ("known.d.ts", KNOWN)):
        (here / "src" / name).write_text(text)
    return here


def tool(name, *words, cwd):
    done = tare.plain([packages("maps", *PINS) / "node_modules/.bin" / name, *words], cwd=cwd, timeout=120)
    if name == "esbuild" and done.status != 0:
        raise tare.Skip("esbuild does not run here")
    assert done.status == 0, done.out.decode() + done.err.decode()


def compiled(here, *words):
    tool("tsc", "--target", "es2020", "--lib", "es2020", "--module", "commonjs", "--typeRoots", "none",
         "--outDir", "out", *words, "src/main.ts", "src/feed.ts", "src/known.d.ts", cwd=here)
    return here / "out"


def bundled(here, name, *words):
    tool("esbuild", f"src/{name}.ts", "--bundle", "--platform=node", *words,
         f"--outfile=out/{name}.js", cwd=here)
    return here / "out"


def run(program):
    done = tare.traced([node(), program], timeout=120, env=environment())
    assert done.status == 0, done.err.decode()
    report = root(done)
    return next(f for f in report["findings"] if not f["note"]), report["notes"]


def place(where):
    return where["file"].rsplit("/", 2)[-2:], where["line"], where["text"]


def cached(here, program):
    """What `remember` of cache.ts makes and keeps."""
    found, notes = run(program)
    assert place(found["allocated_at"][0]) == (
        ["src", "cache.ts"], 11, "bytes: Buffer.alloc(65536, id & 255),"), found["allocated_at"]
    assert place(found["allocated_at"][1]) == (["src", "main.ts"], 6, "remember(i);"), found
    assert place(found["stored_at"]) == (["src", "cache.ts"], 13, "rows.set(`row ${id}`, row);"), found
    said = [note for note in notes if "source map" in note]
    assert len(said) == 1 and str(here) in said[0], notes
    return found


def tsc():
    here = project()
    found = cached(here, compiled(here, "--sourceMap") / "main.js")
    assert found["stored_at"]["function"] == "remember", found["stored_at"]
    assert found["holder_path"][0]["file"] == str(here / "src/cache.ts"), found["holder_path"]


def bundle():
    """As webpack names its sources; the files themselves are gone, and the map has their text."""
    here = project()
    out = bundled(here, "main", "--sourcemap")
    where = out / "main.js.map"
    where.write_text(where.read_text().replace('"../src/', '"webpack://demo/./src/'))
    assert json.loads(where.read_text())["sources"][0] == "webpack://demo/./src/cache.ts"
    cached(here, out / "main.js")
    for name in ("cache.ts", "main.ts"):
        (here / "src" / name).unlink()
    found, _ = run(out / "main.js")
    assert place(found["stored_at"])[1:] == (13, "rows.set(`row ${id}`, row);"), found["stored_at"]


def small_bundle():
    """Made small, all on one line; the map is in the script itself. The heap tells the closure."""
    here = project()
    found, _ = run(bundled(here, "feed", "--minify", "--sourcemap=inline") / "feed.js")
    assert place(found["allocated_at"][0])[:2] == (["src", "feed.ts"], 7), found["allocated_at"]
    assert place(found["stored_at"])[:2] == (["src", "feed.ts"], 12), found["stored_at"]
    assert "(feed.ts:12)" in found["held_by"], found["held_by"]


def broken_map():
    """A map that is none, or is missing, is said, and lines are those that were run."""
    here = project()
    out = compiled(here, "--sourceMap")
    for says, change in (("cannot be used", lambda m: m.write_text("{")),
                         ("not at hand", lambda m: m.unlink())):
        change(out / "cache.js.map")
        (out / "main.js.map").unlink(missing_ok=True)
        found, notes = run(out / "main.js")
        assert found["allocated_at"][0]["file"] == str(out / "cache.js"), found["allocated_at"]
        assert any(says in note for note in notes), notes


tare.Cases().each({"tsc": tsc, "bundle": bundle, "small_bundle": small_bundle, "broken_map": broken_map})
