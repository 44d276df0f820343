#!/usr/bin/env python3
"""`tare diff`: fixed only when it would have shown, new, faster, slower, the same."""
import json

from clitest import CLEAN, LEAK, main, marked, tare


def recorded(scratch, directory, source=LEAK, steps=300, size=3000, name=None):
    home = scratch / (name or f"build-{directory}")
    home.mkdir(exist_ok=True)
    program = marked(home, "program", source)
    tare("run", "-q", "-o", directory, "--", program, steps, 300, size, cwd=scratch, status=7)
    return directory


def diff(scratch, before, after, status):
    answer = json.loads(tare("diff", "--json", before, after, cwd=scratch, status=status).stdout)
    text = " ".join(tare("diff", before, after, cwd=scratch, status=status).stdout.decode().split())
    assert text.startswith(answer["answer"]), text
    for finding in answer["findings"]:
        assert " ".join(finding["text"].split()) in text, (finding, text)
    return answer


def changes(answer):
    return [finding["change"] for finding in answer["findings"]]


def case_a_leak_is_fixed_or_new(scratch):
    leaky = recorded(scratch, "leaky")
    clean = recorded(scratch, "clean", CLEAN)
    fixed = diff(scratch, leaky, clean, 0)
    assert changes(fixed) == ["fixed"], fixed
    assert 32 <= fixed["findings"][0]["steps_needed"] <= 300, fixed
    assert fixed["before"]["verdict"] == "native" and fixed["after"]["verdict"] == "clean", fixed
    assert changes(diff(scratch, clean, leaky, 1)) == ["new"]
    assert changes(diff(scratch, clean, clean, 0)) == []


def case_too_short_a_run_proves_nothing(scratch):
    leaky = recorded(scratch, "leaky")
    short = recorded(scratch, "short", CLEAN, steps=10)
    answer = diff(scratch, leaky, short, 3)
    assert changes(answer) == ["unproven"], answer
    assert "the second run has 10 steps" in answer["findings"][0]["text"], answer


def case_another_clock_proves_nothing(scratch):
    leaky = recorded(scratch, "leaky")
    timed = recorded(scratch, "timed", CLEAN.replace("tare_step((uint64_t)i);", ""), steps=2000)
    answer = diff(scratch, leaky, timed, 3)
    assert changes(answer) == ["unproven"], answer
    assert "another clock (time, not mark)" in answer["findings"][0]["text"], answer


def case_lines_may_move_and_rates_are_compared(scratch):
    first = recorded(scratch, "first", size=3000)
    again = recorded(scratch, "again", "\n\n\n\n" + LEAK, size=3000)
    more = recorded(scratch, "more", "\n\n" + LEAK, size=9000)
    assert changes(diff(scratch, first, again, 0)) == ["same"]
    worse = diff(scratch, first, more, 1)
    assert changes(worse) == ["worse"], worse
    rates = [worse["findings"][0][side]["bytes_per_step"] for side in ("before", "after")]
    assert rates[0]["high"] < rates[1]["low"], rates
    assert changes(diff(scratch, more, first, 0)) == ["better"]


def case_a_program_built_anew_has_lost_its_names(scratch):
    first = recorded(scratch, "first", name="build")
    second = recorded(scratch, "second", "\n" + LEAK, size=9000, name="build")
    answer = diff(scratch, first, second, 3)
    assert set(changes(answer)) == {"unproven"}, answer
    recorded(scratch, "third", CLEAN, name="build")
    assert changes(diff(scratch, first, "third", 0)) == ["fixed"]


def case_what_cannot_be_read(scratch):
    run = recorded(scratch, "run", CLEAN, steps=3)
    tare("diff", run, cwd=scratch, status=2)
    tare("diff", run, "nowhere", cwd=scratch, status=74)


main(globals())
