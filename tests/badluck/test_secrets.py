#!/usr/bin/env python3
# suite: check
# limit: 240
"""What comes from outside: secrets in arguments are masked everywhere, escapes reach no terminal."""
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import forging  # noqa: E402
import tare  # noqa: E402
from everyverb import all_verbs  # noqa: E402
from tare import TARE, fresh, plain, traced  # noqa: E402

SECRET = "hunter2"
ARGUMENTS = ["--password", SECRET, f"--api-key={SECRET}", "--token", SECRET,
             f"AWS_SECRET_ACCESS_KEY={SECRET}", f"postgres://me:{SECRET}@host/db",
             "--secret", f"two words of {SECRET}", "--epochs", "3"]
ESCAPES = "\033]0;PWN\007\033[2J"
NAMED = r'''
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
    if (fork() == 0) {
        (void)prctl(PR_SET_NAME, "\033]0;PWN\007\033[2J");
        (void)sleep(2);
        _exit(0);
    }
    usleep(700000);
    return 0;
}
'''


def contains(directory):
    """Which files of a run hold the secret, as bytes."""
    return [path.name for path in Path(directory).iterdir() if SECRET.encode() in path.read_bytes()]


def not_written_down():
    """Neither by the probe nor by `tare run`."""
    done = traced(["python3", "-c", "import time; time.sleep(0.3)", *ARGUMENTS])
    assert done.status == 0, done.err
    assert contains(done.directory) == [], contains(done.directory)
    command = tare.root_process(done.report())["command"]
    assert command.endswith(" --password *** --api-key=*** --token *** AWS_SECRET_ACCESS_KEY=*** "
                            "postgres://me:***@host/db --secret *** --epochs 3"), command


def masked_from_an_older_ledger():
    """An older tare wrote down what it found."""
    done = traced(["python3", "-c", "kept = [bytearray(9000) for _ in range(900)]"])
    assert done.status == 0, done.err
    for ledger in Path(done.directory).glob("*.tare"):
        forging.set_head(ledger, "command", "python3 train.py " + " ".join(ARGUMENTS[:7]))
    assert len(contains(done.directory)) >= 2, contains(done.directory)
    for words, text in all_verbs(done.directory):
        assert SECRET not in text, (words, text[max(0, text.find(SECRET) - 300):][:500])
    said = plain([TARE, "report", "-v", done.directory]).out.decode()
    assert "--password *** --api-key=*** --token ***" in " ".join(said.split()), said
    small = fresh("small")
    assert plain([TARE, "strip", "-o", small, done.directory]).status == 0
    assert contains(small) == [], contains(small)
    again = fresh("again")  # the copy is a ledger like others, whose texts can be found
    assert plain([TARE, "strip", "--redact", "-o", again, small]).status == 0
    command = tare.report(small)["processes"][0]["command"]
    assert command.endswith("AWS_SECRET_ACCESS_KEY=*** postgres://me:***@host/db"), command
    assert tare.report(again)["verdict"] == tare.report(small)["verdict"]


def harmless(done, what):
    for text in (done.out, done.err):
        assert b"\033" not in text and b"\007" not in text, (what, text)


def names_of_processes():
    source = fresh("named").with_suffix(".c")
    source.write_text(NAMED)
    program = tare.compile_program(source, fresh("named"))
    run = fresh()
    done = plain([TARE, "run", "-o", run, "--", program])
    harmless(done, "run")
    assert b"still running: \\x1b]0;PWN\\x07\\x1b[2J (pid " in done.err, done.err
    for words, text in all_verbs(run):
        if words[0] not in ("strip", "view", "export"):  # their files are bytes, or for a browser
            assert "\033" not in text, words


def names_on_the_command_line():
    place = fresh(ESCAPES)
    for words in ([ESCAPES], ["report", "--" + ESCAPES], ["report", ESCAPES], ["run", "--", ESCAPES],
                  ["report", "--since", ESCAPES, "."], ["export", "--format", ESCAPES, "."],
                  ["run", "--try", ESCAPES, "--", "true"], ["view", "-o", ESCAPES + "/x", "."],
                  ["run", "-q", "--json", ESCAPES + "/x", "-o", place, "--", "true"],
                  ["run", "-o", place, "--", "true"], ["strip", "-o", fresh(ESCAPES), place],
                  ["help", ESCAPES]):
        harmless(plain([TARE, *words]), words)
    shutil.rmtree(place)


tare.Cases().each({
    "not-written-down": not_written_down,
    "masked-from-an-older-ledger": masked_from_an_older_ledger,
    "names-of-processes": names_of_processes,
    "names-on-the-command-line": names_on_the_command_line})
