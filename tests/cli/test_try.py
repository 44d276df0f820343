#!/usr/bin/env python3
# suite: test
# limit: 90
"""`tare run --try REMEDY`: two runs, compared."""
import json
import sys

from clitest import CLEAN, HERE, LEAK, compile_c, main, marked, run_json as run, tare

ROOT = HERE.parent.parent
sys.path += [str(HERE.parent / "report"), str(HERE.parent / "lib")]
import ledger  # noqa: E402  (its path has just been told)
import schema  # noqa: E402


def fits(report):
    document = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    assert schema.errors(report, document, document) == []


def case_a_leak_is_not_cured_by_a_trim(scratch):
    report, said, _ = run(scratch, marked(scratch, "leak", LEAK), "--try", "trim", status=7,
                          words=(300, 3000))
    tried = report["tried"]
    assert tried["remedy"] == "trim" and tried["says"], tried
    assert tried["conclusion"] == "still-there", tried
    assert [f["gone"] for f in tried["findings"]] == [False], tried
    assert tried["before"]["verdict"] == tried["after"]["verdict"] == "native", tried
    assert abs(tried["before"]["bytes_per_step"] - tried["after"]["bytes_per_step"]) < 300, tried
    assert "Tried" in said and "the findings are still there" in said, said
    fits(report)
    again = tare("report", "--json", "run", cwd=scratch, status=1)
    assert json.loads(again.stdout)["tried"] == tried
    assert "native in process" in tare("explain", "run", "1", cwd=scratch, status=0).stdout.decode()


def case_one_arena_against_what_many_arenas_keep(scratch):
    pool = compile_c(scratch, "pool", (ROOT / "corpus/native/burst_pool.cc").read_text(), "-x", "none",
                     "-std=c++17", "-O1", "-g", f"-I{ROOT / 'corpus/native'}", f"-I{ROOT / 'include'}",
                     "-pthread", "-ldl", compiler="g++", language="c++")
    report, _, _ = run(scratch, pool, "--try", "arenas=1", "-q", words=())
    tried = report["tried"]
    assert report["verdict"] == tried["before"]["verdict"] == "framework-cache", report["answer"]
    # Whether one arena's last free block is at its end, and so given back, is a matter of chance.
    cured = tried["after"]["verdict"] in ("clean", "plateau")
    assert tried["conclusion"] in (("gone",) if cured else ("less", "still-there")), tried
    fits(report)


def trims(scratch, part):
    found = []
    for path in (scratch / "run" / part).glob("[0-9]*.tare"):
        found += [r.time for r in ledger.Ledger(path).records("interventions") if r.kind == 1]
    return found


def case_a_trim_comes_every_two_seconds(scratch):
    run(scratch, marked(scratch, "clean", CLEAN), "--try", "trim", "-q", status=7, words=(330, 10000))
    times = trims(scratch, "with-trim")
    assert trims(scratch, "plain") == [] and len(times) == 2, times
    assert times[1] - times[0] > 1.9e9, times


def case_too_few_steps_are_not_compared(scratch):
    report, _, _ = run(scratch, marked(scratch, "leak", LEAK), "--try", "trim", "-q", status=7,
                       words=(10, 1000))
    assert report["tried"]["conclusion"] == "not-comparable", report["tried"]
    assert "too few steps" in report["tried"]["sentence"], report["tried"]


def case_nothing_to_remedy(scratch):
    report, _, _ = run(scratch, marked(scratch, "clean", CLEAN), "--try", "trim", "-q", status=7,
                       words=(100, 1000))
    assert report["tried"]["conclusion"] == "nothing-to-remedy", report["tried"]


def case_an_ordinary_run_has_tried_nothing(scratch):
    report, _, _ = run(scratch, marked(scratch, "clean", CLEAN), "-q", status=7, words=(50, 100))
    assert report["tried"] is None
    fits(report)


def case_the_environment_is_the_second_runs_only(scratch):
    done = tare("run", "-q", "-o", "run", "--try", "arenas=1", "--", "sh", "-c",
                "echo \"${MALLOC_ARENA_MAX-none}\"", cwd=scratch, status=0)
    assert done.stdout == b"none\n1\n", done
    assert sorted(p.name for p in (scratch / "run").iterdir()) == ["plain", "with-arenas=1"]
    tare("run", "-q", "-o", "run", "--try", "trim", "--", "true", cwd=scratch, status=2)
    tare("run", "-q", "-f", "-o", "run", "--try", "trim", "--", "true", cwd=scratch, status=0)
    assert sorted(p.name for p in (scratch / "run").iterdir()) == ["plain", "with-trim"]


def case_a_missing_command_leaves_nothing(scratch):
    tare("run", "-o", "run", "--try", "trim", "--", "./nothing", cwd=scratch, status=127)
    assert not (scratch / "run").exists()


def case_unknown_remedies_are_named(scratch):
    done = tare("run", "--try", "prayer", "--", "true", cwd=scratch, status=2)
    assert done.stderr == b'tare: unknown remedy "prayer"; choose one of: trim, arenas=1, ' \
        b'clear_session, drop-gradient-registry, gc, dispose\n', done
    done = tare("run", "--try", "trim", "--observe", "--", "true", cwd=scratch, status=2)
    assert b"--try and --observe cannot be combined" in done.stderr, done
    assert not list(scratch.iterdir())


main(globals())
