#!/usr/bin/env python3
"""Completion in real shells, the manual pages, and names of directories with %p %h %e."""
import os
import pty
import re
import select
import shutil
import socket
import subprocess
import time

from clitest import HERE, TARE, Skip, main, tare

VERBS = re.findall(r"^VERB\((\w+),", (HERE.parent.parent / "src/cli/verbs.def").read_text(), re.M)
TRIES = HERE.parent.parent / "src/doctor/say/remedies_try.def"
REMEDIES = re.findall(r"^TRY\(\"([^\"]+)", TRIES.read_text(), re.M)
ASK = r'''
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_tare
printf '%s\n' "${COMPREPLY[@]}"
'''


def options_of(scratch, verb):
    """Those that --help prints."""
    text = tare("help", verb, cwd=scratch, status=0).stdout.decode()
    return set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", text, re.M))


def completion(scratch, shell, name):
    path = scratch / name
    path.write_bytes(tare("help", "--completion", shell, cwd=scratch, status=0).stdout)
    return path


def ask(scratch, *words):
    script = completion(scratch, "bash", "tare.bash")
    done = subprocess.run(["bash", "-c", ASK, "bash", script, *words], capture_output=True, text=True,
                          cwd=scratch)
    assert done.returncode == 0 and not done.stderr, done
    return set(done.stdout.split())


def case_bash_knows_every_verb_and_option(scratch):
    assert ask(scratch, "tare", "") == {*VERBS, "--help", "--version"}
    assert ask(scratch, "tare", "ex") == {verb for verb in VERBS if verb.startswith("ex")}
    for verb in VERBS:
        assert ask(scratch, "tare", verb, "--") == options_of(scratch, verb), verb


def case_bash_knows_what_follows(scratch):
    (scratch / "runs").mkdir()
    (scratch / "rules.txt").write_text("")
    assert ask(scratch, "tare", "export", "--format", "s") == {"speedscope", "sarif"}
    assert ask(scratch, "tare", "run", "--try", "") == set(REMEDIES)
    assert ask(scratch, "tare", "check", "--allow", "ru") == {"runs", "rules.txt"}
    assert ask(scratch, "tare", "run", "-o", "ru") == {"runs"}
    assert ask(scratch, "tare", "report", "ru") == {"runs", "rules.txt"}
    assert ask(scratch, "tare", "help", "str") == {"strip"}
    assert "bash" in ask(scratch, "tare", "run", "-q", "--", "bas")
    assert ask(scratch, "tare", "run", "-o", "x", "python3", "ru") == {"runs", "rules.txt"}
    assert ask(scratch, "tare", "run", "python3", "--qui") == set(), "behind the program it is the program's"


def typed(command, keys, wanted, home, seconds=20):
    """What a shell on a terminal shows after these keys."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(HOME=str(home), TERM="dumb", PS1="> ", LC_ALL="C.UTF-8")
        os.chdir(home)
        os.execvp(command[0], command)
    shown, end = b"", time.monotonic() + seconds
    for key in keys:
        os.write(terminal, key.encode())
        until = time.monotonic() + 1
        while time.monotonic() < until and wanted not in shown:
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 4096)
    while wanted not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 4096)
    os.close(terminal)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return shown


def case_a_tab_in_bash_completes(scratch):
    script = completion(scratch, "bash", "tare.bash")
    shown = typed(["bash", "--norc", "--noprofile", "-i"],
                  [f"source {script}\n", "tare export --format speed\t"], b"speedscope", scratch)
    assert b"--format speedscope" in shown, shown


def case_a_tab_in_zsh_completes(scratch):
    if not shutil.which("zsh"):
        raise Skip("no zsh here")
    completion(scratch, "zsh", "_tare")
    assert subprocess.run(["zsh", "-n", scratch / "_tare"]).returncode == 0
    shown = typed(["zsh", "-f", "-i"],
                  [f"fpath=({scratch} $fpath); autoload -Uz compinit; compinit -u -D\n",
                   "tare exp\t", "ort --format speed\t"], b"speedscope", scratch)
    assert b"speedscope" in shown, shown


def case_another_shell_is_refused(scratch):
    assert b'no completion for "fish"' in tare("help", "--completion", "fish", cwd=scratch, status=2).stderr


def case_manual_pages_render_without_warnings(scratch):
    if not shutil.which("groff"):
        raise Skip("no groff here")
    for verb in (None, *VERBS):
        page = scratch / (f"tare-{verb}.1" if verb else "tare.1")
        page.write_bytes(tare("help", "--man", *([verb] if verb else []), cwd=scratch, status=0).stdout)
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-c", page], capture_output=True,
                              text=True)
        assert done.returncode == 0 and not done.stderr, (verb, done.stderr)
        text = re.sub(r".\x08", "", done.stdout)
        if verb:
            assert options_of(scratch, verb) <= set(re.findall(r"--[\w-]+", text)), (verb, text)
        else:
            assert all(f"tare-{name}(1)" in text for name in VERBS), text
        if shutil.which("man"):
            done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                                  env=dict(os.environ, MANPAGER="cat"))
            assert done.returncode == 0 and not done.stderr, (verb, done.stderr)


def case_names_of_directories(scratch):
    done = subprocess.Popen([TARE, "run", "-q", "-o", "at-%h-%e-%p-%%", "--", "/bin/true"], cwd=scratch)
    assert done.wait(30) == 0
    name = f"at-{socket.gethostname()}-true-{done.pid}-%"
    assert (scratch / name / "run.tare").exists(), list(scratch.iterdir())
    for bad in ("%x", "a%", "%"):
        refused = tare("run", "-q", "-o", bad, "--", "true", cwd=scratch, status=2)
        assert b"may follow a percent sign" in refused.stderr, refused
    tare("run", "-q", "-o", "twice-%e", "--try", "trim", "--", "true", cwd=scratch, status=0)
    assert (scratch / "twice-true" / "plain" / "run.tare").exists()


main(globals())
