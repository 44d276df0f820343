#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 700
"""expectNoGrowth under node:test, Jest, Mocha and Vitest: leaky bodies fail with the finding, clean
ones pass, every time."""
import json
import os
import re

from node_case import ADAPTER, environment, folder, judged, node, packages, tare

COUNT = int(os.environ.get("COUNT", "20"))
FEW = max(3, COUNT // 10)  # for runners that differ only in how they call it
BODIES = (tare.ROOT / "tests/node/expect_bodies.cjs").read_text()
PINNED = ("jest@29.7.0", "mocha@10.8.2", "vitest@2.1.9")
REGISTER = """
const { bodies } = require('./bodies.cjs');
const { expectNoGrowth } = require('tare/test');
for (const [name, body, options] of bodies) TEST(name, () => expectNoGrowth(body, options), LIMIT);
"""


def prepared(place=None, **files):
    """A folder with the bodies and, as npm would install it, the package `tare`."""
    made = folder(bodies_cjs=BODIES, **files)
    modules = made / "node_modules"
    modules.mkdir()
    for package in (place / "node_modules").iterdir() if place else ():
        (modules / package.name).symlink_to(package)
    (modules / "tare").symlink_to(ADAPTER / "modules/tare")
    return made


def under_tare(home, words, count):
    run = tare.traced(words, cwd=home, timeout=120 + 15 * count,
                      env=environment(COUNT=count, CI="1", FORCE_COLOR="0", NO_COLOR="1"))
    return run, run.out.decode() + run.err.decode()


def judge(outcomes, count):
    """{name: None or the message}"""
    assert len(outcomes) == 3 * count + -(-count // 4) + 3, sorted(outcomes)
    for name, message in outcomes.items():
        if name.startswith("clean") or name == "within its limit":
            judged(message is None, f"{name}: {message}")
        else:
            judged(message is not None, f"{name} passed")
        if name.startswith("leaky"):
            judged("Failed: memory grows faster than the limit. (" in message, f"{name}: {message}")
            judged(re.search(r"grows by [\d.]+ KB per step \(", message), f"{name}: {message}")
        if name.startswith("leaky buffers"):
            judged(re.search(r"retained at \S*bodies\.cjs:21 ", message), f"{name}: {message}")
    assert "the body is wrong" in outcomes["throws"], outcomes["throws"]
    assert "not maxGrouth" in outcomes["misspelt"], outcomes["misspelt"]


def with_node_test():
    text = "const { test } = require('node:test');" + REGISTER.replace("TEST", "test")
    home = prepared(all_cjs=text.replace(", LIMIT", ""))
    _, said = under_tare(home, [node(), "--test-reporter=tap", "all.cjs"], COUNT)
    outcomes = {}
    parts = re.split(r"^(ok|not ok) \d+ - (.*)$", said, flags=re.M)
    for verdict, name, rest in zip(parts[1::3], parts[2::3], parts[3::3]):
        outcomes[name] = None if verdict == "ok" else rest
    judge(outcomes, COUNT)


def with_jest():
    home = prepared(packages("runners", *PINNED), package_json="{}")
    (home / "all.test.js").write_text(REGISTER.replace("TEST", "test").replace("LIMIT", "60000"))
    run, _ = under_tare(home, [node(), "node_modules/jest/bin/jest.js", "--json"], FEW)
    answer = json.loads(run.out)
    judge({case["title"]: "\n".join(case["failureMessages"]) if case["status"] != "passed" else None
           for case in answer["testResults"][0]["assertionResults"]}, FEW)


def with_mocha():
    text = REGISTER.replace("TEST", "it").replace(", LIMIT", "")
    home = prepared(packages("runners", *PINNED), all_cjs=text)
    run, _ = under_tare(home, [node(), "node_modules/mocha/bin/mocha.js", "--timeout", "60000",
                               "--reporter", "json", "all.cjs"], FEW)
    answer = json.loads(run.out)
    judge({case["title"]: case["err"].get("message") for case in answer["tests"]}, FEW)


def with_vitest():
    text = """
    import { test } from 'vitest';
    import { expectNoGrowth } from 'tare/test';
    import { bodies } from './bodies.cjs';
    for (const [name, body, options] of bodies) {
      test(name, () => expectNoGrowth(body, options), 60000);
    }
    """
    home = prepared(packages("runners", *PINNED), package_json='{"type": "module"}')
    (home / "all.test.js").write_text(text)
    words = [node(), "node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--outputFile=out.json"]
    _, said = under_tare(home, words, FEW)
    assert (home / "out.json").exists(), said[-2000:]
    answer = json.loads((home / "out.json").read_text())
    judge({case["title"]: "\n".join(case["failureMessages"]) if case["status"] != "passed" else None
           for case in answer["testResults"][0]["assertionResults"]}, FEW)


def threads_are_refused():
    """A worker shares its process with others: the sentence says what to do."""
    home = prepared(main_cjs="""
    const { Worker, isMainThread } = require('worker_threads');
    if (isMainThread) new Worker(__filename);
    else require('tare/test').expectNoGrowth(() => {}).catch((error) => console.log(error.message));
    """)
    _, said = under_tare(home, [node(), "main.cjs"], 1)
    assert "--pool=forks" in said, said


def without_tare():
    home = prepared(main_cjs="require('tare/test').expectNoGrowth(() => {})"
                             ".catch((error) => console.log(error.message));")
    said = tare.plain([node(), "main.cjs"], cwd=home, env=environment()).out.decode()
    assert said.count("\n") == 1 and "npx tare run -q -- " in said, said


CASES = {"node_test": with_node_test, "jest": with_jest, "mocha": with_mocha, "vitest": with_vitest,
         "threads_are_refused": threads_are_refused, "without_tare": without_tare}

if __name__ == "__main__":
    tare.Cases().each(CASES)
