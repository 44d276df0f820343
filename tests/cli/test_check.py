#!/usr/bin/env python3
"""`tare check`: limits on growth and peak, suppressions, and the three exit codes."""
import json
import time

from clitest import CLEAN, LEAK, main, marked, tare

STEPS, SIZE = 300, 3000


def recorded(scratch, source=LEAK, steps=STEPS, directory="run"):
    program = marked(scratch, f"program-{directory}", source)
    tare("run", "-q", "-o", directory, "--", program, steps, 300, SIZE, cwd=scratch, status=7)
    return directory


def check(scratch, *words, status):
    """The JSON form, and that the text says the same with the same status."""
    done = tare("check", "--json", *words, cwd=scratch, status=status)
    answer = json.loads(done.stdout)
    text = tare("check", *words, cwd=scratch, status=status).stdout.decode()
    flat = " ".join(text.split())
    assert flat.startswith(answer["answer"]), text
    for line in answer["lines"]:
        assert " ".join(line["text"].split()) in flat, (line, text)
    return answer


def abouts(answer, outcome=None):
    return [line["about"] for line in answer["lines"] if outcome in (None, line["outcome"])]


def case_a_leak_fails_and_is_named(scratch):
    answer = check(scratch, recorded(scratch), status=1)
    assert answer["outcome"] == "failed" and abouts(answer) == ["growth"], answer
    assert " in keep: Leaks " in answer["lines"][0]["text"] and answer["lines"][0]["finding"] == 1, answer


def case_a_clean_run_passes(scratch):
    answer = check(scratch, recorded(scratch, CLEAN), "--max-growth", "1KB/step", "--max-peak", "1G",
                   status=0)
    assert answer["outcome"] == "passed" and answer["lines"] == [], answer


def case_growth_is_held_against_the_interval(scratch):
    run = recorded(scratch)
    rate = json.loads(tare("report", "--json", run, cwd=scratch).stdout)["processes"][0]["findings"][0]
    rate = rate["bytes_per_step"]
    assert rate["low"] <= rate["estimate"] <= rate["high"] and abs(rate["estimate"] - SIZE) < 200, rate
    for limit, outcome, status in ((int(rate["low"]) - 10, "failed", 1),
                                   (int(rate["high"]) + 10, "passed", 0)):
        answer = check(scratch, "--max-growth", f"{limit}/step", run, status=status)
        assert answer["outcome"] == outcome and "growth" in abouts(answer, outcome), answer
    if rate["high"] - rate["low"] >= 4:
        middle = int((rate["high"] + rate["low"]) / 2) + 1
        answer = check(scratch, "--max-growth", middle, run, status=3)
        assert answer["outcome"] == "not-enough-evidence", answer


def case_growth_per_second(scratch):
    run = recorded(scratch)
    check(scratch, "--max-growth", "1K/s", run, status=1)
    check(scratch, "--max-growth", "10G/second", run, status=0)


def case_the_peak_is_limited(scratch):
    run = recorded(scratch, CLEAN)
    answer = check(scratch, "--max-peak", "64K", run, status=1)
    assert abouts(answer) == ["peak"] and "the limit is 64.0 KB" in answer["lines"][0]["text"], answer
    check(scratch, "--max-peak", "4G", run, status=0)


def case_too_few_steps_are_not_enough(scratch):
    run = recorded(scratch, steps=12)
    verdict = json.loads(tare("report", "--json", run, cwd=scratch).stdout)["verdict"]
    answer = check(scratch, run, status={"undecided": 3, "clean": 0}[verdict])
    if verdict == "undecided":
        assert answer["outcome"] == "not-enough-evidence" and "evidence" in abouts(answer), answer


def case_allowed_leaks_pass_with_their_reason(scratch):
    run = recorded(scratch)
    (scratch / "allow").write_text("# The vendor knows.\nleak:^keep$\n\nleak:nowhere\n")
    answer = check(scratch, "--allow", "allow", run, status=0)
    assert abouts(answer) == ["allowed", "suppression", "suppression"], answer
    texts = [line["text"] for line in answer["lines"]]
    assert texts[0].endswith('is allowed by "leak:^keep$": The vendor knows.'), texts
    assert texts[1] == 'allow:4: "leak:nowhere" matched nothing in this run', texts
    assert texts[2].startswith('allow:4: "leak:nowhere" has no reason'), texts
    check(scratch, "--allow", "allow", "--max-growth", "1/step", run, status=0)


def case_since_a_moment(scratch):
    """Nothing is left to judge behind the end, and all behind the beginning."""
    before = time.monotonic_ns()
    run = recorded(scratch)
    after = time.monotonic_ns()
    assert abouts(check(scratch, "--since", before, run, status=1), "failed") == ["growth"]
    done = tare("check", "--json", "--since", after, run, cwd=scratch)
    assert done.returncode in (0, 3), (done.returncode, done.stdout)
    tare("check", "--since", "yesterday", run, cwd=scratch, status=2)


def case_bad_words_and_files(scratch):
    run = recorded(scratch, steps=3)
    for rate in ("1KB/day", "fast", "/step", "-1/step", ""):
        done = tare("check", "--max-growth", rate, run, cwd=scratch, status=2)
        assert b"--max-growth needs a rate" in done.stderr, done
    (scratch / "bad").write_text("# no\nrace:x\n")
    assert b'bad:2: a suppression is "leak:PATTERN"' in tare(
        "check", "--allow", "bad", run, cwd=scratch, status=2).stderr
    tare("check", "--allow", "missing", run, cwd=scratch, status=74)
    tare("check", "nowhere", cwd=scratch, status=74)
    (scratch / "empty").mkdir()
    tare("check", "empty", cwd=scratch, status=65)


main(globals())
