"""Programs in TypeScript that leak, for the tests of source maps and of runners: lines and the places that
their report has to name."""
from node_case import judged

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


def place(where):
    judged(where, "no place")
    return where["file"].rsplit("/", 2)[-2:], where["line"], where["text"]


def is_cached(found):
    """What `remember` of cache.ts makes and keeps."""
    judged(place(found["allocated_at"][0]) == (
        ["src", "cache.ts"], 11, "bytes: Buffer.alloc(65536, id & 255),"), found["allocated_at"])
    judged(place(found["allocated_at"][1]) == (["src", "main.ts"], 6, "remember(i);"), found)
    judged(place(found["stored_at"]) == (["src", "cache.ts"], 13, "rows.set(`row ${id}`, row);"), found)


def is_fed(found, made=12):
    """What `handle` of feed.ts makes, and its closure holds: of two lines that make something, the one that
    stores."""
    judged(place(found["allocated_at"][0])[:2] == (["src", "feed.ts"], made), found["allocated_at"])
    judged(place(found["stored_at"])[:2] == (["src", "feed.ts"], 12), found["stored_at"])
    judged("(feed.ts:12)" in (found["held_by"] or ""), found["held_by"])


def is_fed_small(found):
    """The same where all of it is on one line of what is run: the beginning of the function is told."""
    is_fed(found, 7)
