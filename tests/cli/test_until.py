#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 120
"""--until-verdict: what takes its time."""
import signal
import subprocess
import time

from clitest import CLEAN, FOREVER, LEAK, TARE, judged, main, marked, run_json as run, tare, wait_for


def case_the_verdicts_code_where_it_is_asked_for(scratch):
    done = tare("run", "-q", "--until-verdict", "--exit-code", "--", marked(scratch, "leak", LEAK), FOREVER,
                2000, cwd=scratch)
    assert done.returncode in (0, 1, 3), done
    judged(done.returncode == 1, done)


def case_what_only_looks_settles_too(scratch):
    report, _, _ = run(scratch, marked(scratch, "leak", LEAK), "--until-verdict", "--observe", "-q",
                       status=0)
    process = report["processes"][0]
    judged(process["verdict"] in ("native", "retained"), process["answer"])
    assert process["measured"]["pause_seconds"] == 0, process["measured"]
    judged("trim" not in " ".join(process["findings"][0]["evidence"]), process["findings"][0])


def case_a_clean_program_is_ended_when_it_has_been_calm(scratch):
    report, said, took = run(scratch, marked(scratch, "clean", CLEAN), "--until-verdict", status=0)
    judged(report["verdict"] == "clean", report["answer"])
    assert report["processes"][0]["steps"]["count"] >= 200
    judged(10 <= took < 20, took)
    judged("nothing grew for 10 s" in said, said)


def case_a_program_of_its_own_end_keeps_its_status(scratch):
    report, said, _ = run(scratch, marked(scratch, "leak", LEAK), "--until-verdict", status=7,
                          words=(100, 1000))
    assert "ended by tare" not in said and not report["notes"], (said, report["notes"])


def case_a_handler_of_sigterm_has_its_say(scratch):
    handled = LEAK.replace("int main(", "#include <signal.h>\nstatic void stop(int n)\n{\n    (void)n;\n"
                           "    _exit(33);\n}\n\nint main(").replace(
                               "    const long steps", "    signal(SIGTERM, stop);\n    const long steps")
    _, said, _ = run(scratch, marked(scratch, "handles", handled), "--until-verdict", status=33)
    assert "was ended by tare" in said, said


def case_who_ignores_sigterm_is_killed_after_the_grace(scratch):
    deaf = LEAK.replace("int main(", "#include <signal.h>\nint main(").replace(
        "    const long steps", "    signal(SIGTERM, SIG_IGN);\n    const long steps")
    report, _, took = run(scratch, marked(scratch, "deaf", deaf), "--until-verdict", status=0)
    assert report["processes"][0]["ended"] == "killed by SIGKILL", report["processes"][0]["ended"]
    assert any("did not end within 5 s" in note for note in report["notes"]), report["notes"]
    assert took >= 5, took


def case_another_signal_is_still_the_programs_status(scratch):
    program = marked(scratch, "clean", CLEAN)
    child = subprocess.Popen([TARE, "run", "-q", "--until-verdict", "-o", "run", "--", program,
                              str(FOREVER), "2000"], cwd=scratch)
    wait_for(lambda: list(scratch.glob("run/*.tare")) and list(scratch.glob("run/*.mail")))
    time.sleep(0.5)
    child.send_signal(signal.SIGTERM)
    assert child.wait(timeout=10) == 128 + signal.SIGTERM


main(globals())
