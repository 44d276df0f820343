#!/usr/bin/env python3
"""--until-verdict, --budget, --observe and --exit-code together with the doctor's rounds."""
import json

from clitest import CLEAN, LEAK, main, marked, run_json as run, tare


def case_a_settled_leak_ends_the_program(scratch):
    report, said, took = run(scratch, marked(scratch, "leak", LEAK), "--until-verdict", status=0)
    process = report["processes"][0]
    assert report["verdict"] == "native" and process["ended"] == "killed by SIGTERM", report["answer"]
    assert any("tare ended the program" in note and "--until-verdict" in note
               for note in report["notes"]), report["notes"]
    assert "leak was ended by tare: every finding is settled" in said, said
    assert took < 15, took
    evidence = " ".join(process["findings"][0]["evidence"])
    assert "a trim freed nothing" in evidence, evidence
    assert "Nothing in the program points to them" in evidence, evidence
    assert process["account"]["lines"], process["account"]


def case_observe_asks_nothing(scratch):
    program = marked(scratch, "leak", LEAK)
    asked, _, _ = run(scratch, program, "-q", status=7, words=(200, 3000))
    measured = asked["processes"][0]["measured"]
    assert measured["pause_seconds"] > 0, measured
    looked, _, _ = run(scratch, program, "-q", "-f", "--observe", status=7, words=(200, 3000))
    process = looked["processes"][0]
    assert process["measured"]["pause_seconds"] == 0, process["measured"]
    assert process["findings"], process["answer"]
    for finding in process["findings"]:
        assert finding["held_by"] is None, finding
        assert "trim" not in " ".join(finding["evidence"]), finding
    assert tare("run", "-q", "-f", "-o", "run", "--observe", "--exit-code", "--", program, "200", "3000",
                cwd=scratch).returncode == 1


def case_budget_warns_then_records_the_flight(scratch):
    program = marked(scratch, "leak", LEAK)
    report, said, _ = run(scratch, program, "--no-report", "--budget", "40M", status=7,
                          words=(400, 8000, 131072))
    warning = [line for line in said.splitlines() if "memory will exceed the budget of 40.0 MB in" in line]
    assert len(warning) == 1, said
    assert said.count("flight.txt") == 1, said
    flight = json.loads((scratch / "run" / "flight.json").read_text())
    assert flight["verdict"] == "native" and flight["processes"][0]["ended"] == "running", flight
    ended = report["processes"][0]
    assert flight["processes"][0]["steps"]["count"] < ended["steps"]["count"] == 400
    text = (scratch / "run" / "flight.txt").read_text()
    assert "of the budget of 40.0 MB are resident" in text.splitlines()[0], text
    assert "Does it leak? Yes" in text and "\033" not in text, text
    assert any("will exceed the budget" in note for note in report["notes"]), report["notes"]
    assert any("flight recorder" in note for note in report["notes"]), report["notes"]
    assert (scratch / "run" / "flight.txt").stat().st_mode & 0o777 == 0o600
    tare("run", "-q", "-f", "-o", "run", "--", "true", cwd=scratch, status=0)
    assert not list(scratch.glob("run/flight.*")), "-f removes what the last run left"


def case_force_keeps_what_only_has_the_name(scratch):
    (scratch / "run").mkdir()
    (scratch / "run" / "flight.txt").write_text("my own notes of a flight\n")
    (scratch / "run" / "plain").mkdir()
    (scratch / "run" / "plain" / "mine").write_text("mine\n")
    tare("run", "-q", "-f", "-o", "run", "--", "true", cwd=scratch, status=0)
    assert (scratch / "run" / "flight.txt").read_text() == "my own notes of a flight\n"
    assert (scratch / "run" / "plain" / "mine").exists()


def case_a_budget_that_is_never_reached_is_silent(scratch):
    _, said, _ = run(scratch, marked(scratch, "clean", CLEAN), "--no-report", "--budget", "4G",
                     status=7, words=(200, 1000))
    assert "budget" not in said and not list(scratch.glob("run/flight.*")), said


main(globals())
