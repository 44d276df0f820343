#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 600
"""Source maps: programs in TypeScript, compiled by tsc and bundled by esbuild (installed under build/npm),
are told in the lines that were written: where memory is made and stored, the closure that holds it."""
import json

from node_case import environment, judged, node, packages, root, tare
from typescript import CACHE, FEED, MAIN, is_cached, is_fed_small, place

PINS = ("typescript@5.6.3", "esbuild@0.24.0")
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
    found = [f for f in report["findings"] if not f["note"]]
    judged(found, report["answer"])
    return found[0], report["notes"]


def cached(here, program):
    found, notes = run(program)
    is_cached(found)
    said = [note for note in notes if "source map" in note]
    judged(len(said) == 1 and str(here) in said[0], notes)
    return found


def tsc():
    here = project()
    found = cached(here, compiled(here, "--sourceMap") / "main.js")
    judged((found["stored_at"] or {}).get("function") == "remember", found["stored_at"])
    judged(found["holder_path"][0]["file"] == str(here / "src/cache.ts"), found["holder_path"])


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
    judged(place(found["stored_at"])[1:] == (13, "rows.set(`row ${id}`, row);"), found["stored_at"])


def small_bundle():
    """Made small, all on one line; the map is in the script itself. The heap tells the closure."""
    here = project()
    found, _ = run(bundled(here, "feed", "--minify", "--sourcemap=inline") / "feed.js")
    is_fed_small(found)


def broken_map():
    """A map that is none, or is missing, is said, and lines are those that were run."""
    here = project()
    out = compiled(here, "--sourceMap")
    for says, change in (("cannot be used", lambda m: m.write_text("{")),
                         ("cannot be read", lambda m: m.unlink())):
        change(out / "cache.js.map")
        (out / "main.js.map").unlink(missing_ok=True)
        found, notes = run(out / "main.js")
        judged(found["allocated_at"][0]["file"] == str(out / "cache.js"), found["allocated_at"])
        judged(any(says in note for note in notes), notes)


tare.Cases().each({"tsc": tsc, "bundle": bundle, "small_bundle": small_bundle, "broken_map": broken_map})
