#!/usr/bin/env python3
"""Verbs, options, help: what is printed, and with which exit code."""
import os
import subprocess

from clitest import TARE, compile_c, expect, main, tare, transcript


def case_help_texts(scratch):
    expect("help", transcript(scratch, ["help"], ["--help"], ["help", "run"], ["run", "--help"],
                              ["help", "explain"], ["help", "diff"], ["help", "check"], ["help", "export"],
                              ["help", "strip"], ["help", "info"], ["help", "help"]))


def case_usage_errors(scratch):
    expect("usage", transcript(
        scratch, [], ["frobnicate"], ["--frobnicate"], ["run"], ["run", "--"],
        ["run", "--frobnicate", "true"], ["run", "-x", "true"], ["run", "-o"], ["run", "--json"],
        ["run", "--rate", "many", "true"], ["run", "--rate", "0", "true"],
        ["run", "--rate=-4K", "true"], ["run", "--quiet=yes", "true"], ["help", "frobnicate"],
        ["run", "--max-pause", "1s", "true"], ["run", "--max-pause", "0", "true"],
        ["run", "--max-pause=-1", "true"], ["run", "--snapshot", "--no-snapshot", "true"],
        ["help", "run", "info"], ["info", "too", "much"], ["explain", "."], ["explain", ".", "one"],
        ["explain", ".", "0"], ["explain", ".", "1"], ["explain", "nowhere", "1"], ["check"],
        ["check", "--max-growth", "much", "."], ["diff", "."], ["export", "."],
        ["export", "--format", "svg", "."], ["export", "--format", "collapsed", "--value", "x", "."],
        ["strip", "."], ["help", "--completion", "fish"], ["run", "-o", "%x", "true"]))


def case_an_option_is_not_taken_for_a_value(scratch):
    """The file is missing: what follows is not its name, and `true` is not the value of another option."""
    for words, missing, before in ((["--json", "--"], "--json needs FILE", "`--`"),
                                   (["--json", "-o", "x", "--"], "--json needs FILE", "-o"),
                                   (["--html", "--json", "x", "--"], "--html needs FILE", "--json"),
                                   (["-o", "-q", "--"], "--output needs DIR", "-q")):
        done = tare("run", *words, "true", cwd=scratch, status=2)
        assert f"{missing} before {before};" in done.stderr.decode(), done
        assert list(scratch.iterdir()) == [], list(scratch.iterdir())
    assert tare("run", "-q", "--json", "-", "--", "true", cwd=scratch, status=0).stdout.startswith(b"{")


def case_a_directory_of_bad_ledgers_is_refused(scratch):
    (scratch / "bad").mkdir()
    (scratch / "bad" / "1.0.tare").write_bytes(b"no ledger" * 1000)
    for words in (["report"], ["check"], ["view", "--open", "no", "-o", "page.html"], ["lines"],
                  ["export", "--format", "csv"], ["diff", "bad"]):
        done = tare(*words, "bad", cwd=scratch, status=65)
        assert b"no ledger in this directory can be read: 1.0.tare: not a ledger" in done.stderr, done
    assert not (scratch / "page.html").exists()


def case_a_ledger_that_is_cut_off_says_so(scratch):
    tare("run", "-q", "-o", "run", "--", "true", cwd=scratch, status=0)
    for ledger in (scratch / "run").glob("*.0.tare"):
        os.truncate(ledger, 100_000)
    text = tare("report", "run", cwd=scratch, status=3).stdout.decode()
    assert "Too early to say: the ledger is cut off" in text and "shorter than it says" in text, text


def case_a_static_program_is_the_answer(scratch):
    source = "#include <unistd.h>\nint main(void) { sleep(2); return 0; }"
    program = compile_c(scratch, "fixed", source, "-static")
    tare("run", "-q", "-o", "run", "--", program, cwd=scratch, status=0)
    text = " ".join(tare("report", "run", cwd=scratch, status=3).stdout.decode().split())
    assert "Does it leak? Not known: process " in text and text.count("it is linked statically") == 2, text


def case_version(scratch):
    done = tare("--version", cwd=scratch, status=0)
    words = done.stdout.decode().split()
    assert words[0] == "tare" and words[1][0].isdigit() and len(words) == 2, words


def case_info_says_what_is_here(scratch):
    done = tare("info", cwd=scratch, status=0)
    text = done.stdout.decode()
    for name in ("kernel", "C library", "allocator", "page size", "huge pages", "cgroup", "python3",
                 "node", "probe"):
        assert any(line.startswith(name) for line in text.splitlines()), (name, text)
    assert os.uname().release in text
    assert "libc" in text


def case_options_end_at_the_command(scratch):
    done = tare("run", "-q", "echo", "-q", "--help", "--", "-o", cwd=scratch, status=0)
    assert done.stdout == b"-q --help -- -o\n", done


def case_closed_pipe_is_no_error(scratch):
    for words in (["help"], ["info"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([TARE, *words], stdout=writer, stderr=subprocess.PIPE, cwd=scratch)
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, b""), (words, done)


def case_full_output_is_an_error(scratch):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([TARE, "help"], stdout=full, stderr=subprocess.PIPE, cwd=scratch)
    assert done.returncode == 74, done
    assert b"standard output could not be written" in done.stderr, done


main(globals())
