"""Programs of tests/guest/node, which use packages that people use: alike with and without the probe."""
import re
import shutil
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("lib", "node")]
import tare  # noqa: E402
from node_case import environment, greeted, packages  # noqa: E402

SOURCES = Path(__file__).resolve().parent / "node"
COMMON = ("express@5", "fastify@5", "ws@8", "undici@6", "typescript@5", "jest@30", "vitest@3", "vite@6",
          "webpack@5", "eslint@9", "sharp@0.34")
RARER = ("mocha@11", "prettier@3", "rollup@4", "@swc/core@1", "koa@2", "socket.io@4", "socket.io-client@4",
         "graphql@16", "lmdb@3", "piscina@5", "pino@9", "axios@1", "rxjs@7", "esbuild@0.25")
# Times and places, which differ from run to run.
VARIES = re.compile(rb"(?m) *\(?\b\d+(\.\d+)? ?m?s\b\)?|^ *(Time|Duration|Start at).*$|\d\d:\d\d:\d\d"
                    rb"|/[^\s:]*work-[^\s/:]*|<ref \*\d+>")


def workshop(name, wanted):
    """A new folder beside the packages, with the programs in it; the caller removes it."""
    place = packages(name, *wanted)
    made = place / f"work-{tare.fresh('x').name}"
    shutil.copytree(SOURCES, made)
    (made / "package.json").write_text('{"private": true}')
    return made


def is_alike(words, wanted=COMMON, name="guest", clean=lambda text: text, status=0):
    """The program's output and status, in a folder that is made anew each time."""
    runs = []
    for call in (tare.plain, tare.traced):
        here = workshop(name, wanted)
        try:
            command = [str(here.parent / word) if str(word).startswith("node_modules/") else word
                       for word in words]
            env = environment(CI="1", NO_COLOR="1", HOME=here)
            runs.append(call(command, cwd=here, env=env, timeout=120))
        finally:
            shutil.rmtree(here)
    alone, guest = runs
    assert alone.status == status, (alone.status, alone.out[-2000:], alone.err[-2000:])
    assert guest.status == status, (guest.status, guest.err[-2000:])
    for output in ("out", "err"):
        want, got = (VARIES.sub(b"", clean(getattr(run, output))) for run in runs)
        assert got == want, f"std{output} is {got.decode()[-1500:]}\ninstead of {want.decode()[-1500:]}"
    assert len(alone.out) + len(alone.err) > 20, "it says nothing"
    assert any(greeted(process) for process in guest.processes()), "the adapter was not there"


def runs(program, binary, **keywords):
    return lambda: is_alike([binary, program], **keywords)


def sorted_lines(text):
    """For outputs of several processes at once."""
    return b"\n".join(sorted(text.splitlines()))


def common(binary):
    jest = ["node_modules/jest/bin/jest.js", "--ci", "--testMatch", "**/sum.test.cjs"]
    vitest = ["node_modules/vitest/vitest.mjs", "run", "--globals", "--reporter=verbose", "sum.test"]
    return {
        "node_itself": runs("itself.cjs", binary, status=3, clean=sorted_lines),
        "express": runs("express.cjs", binary), "fastify": runs("fastify.cjs", binary),
        "ws": runs("ws.cjs", binary, clean=sorted_lines), "undici": runs("undici.cjs", binary),
        "typescript": runs("typescript.cjs", binary, status=1), "eslint": runs("eslint.cjs", binary),
        "webpack": runs("webpack.cjs", binary), "vite": runs("vite.mjs", binary),
        "sharp": runs("sharp.cjs", binary),
        "jest": lambda: is_alike([binary, *jest], status=1),
        "vitest": lambda: is_alike([binary, *vitest], status=1),
    }


def rarer(binary):
    mocha = [binary, "node_modules/mocha/bin/mocha.js", "order.mocha.cjs"]
    names = {word.rsplit("@", 1)[0] for word in RARER} - {"mocha", "socket.io-client"}
    return {
        "mocha": lambda: is_alike(mocha, RARER, "guest-rarer", status=1),
        **{name.strip("@"): lambda name=name: is_alike([binary, "rarer.cjs", name], RARER, "guest-rarer")
           for name in sorted(names)},
    }
