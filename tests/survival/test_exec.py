#!/usr/bin/env python3
# suite: check
# limit: 240
"""Programs that cannot carry the probe, started by one that does: each runs as it would without us, its
environment holds nothing of ours, and the report names it. One that can carry it is watched."""
import os
import shutil
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

SOURCE = Path(__file__).with_name("started.c")
KINDS = {  # name: compiler, flags, a word of the reason; None: it is watched
    "plain": ("gcc", [], None),
    "address": ("gcc", ["-fsanitize=address"], "sanitizer"),
    "thread": ("gcc", ["-fsanitize=thread"], "sanitizer"),
    "leak": ("gcc", ["-fsanitize=leak"], "sanitizer"),
    "address_static": ("gcc", ["-fsanitize=address", "-static-libasan"], "sanitizer"),
    "old_hash": ("clang", ["-fsanitize=address", "-Wl,--hash-style=sysv"], "sanitizer"),
    "clang_address": ("clang", ["-fsanitize=address"], "sanitizer"),
    "clang_thread": ("clang", ["-fsanitize=thread"], "sanitizer"),
    "clang_memory": ("clang", ["-fsanitize=memory"], "sanitizer"),
    "clang_leak": ("clang", ["-fsanitize=leak"], "sanitizer"),
    "undefined": ("gcc", ["-fsanitize=undefined"], None),
    "musl": ("musl-gcc", [], "musl"),
    "musl_static": ("musl-gcc", ["-static"], "statically"),
    "static": ("gcc", ["-static"], "statically"),
    "static_pie": ("gcc", ["-static-pie"], "statically"),
    "32_bit": ("gcc", ["-m32"], "32-bit"),
}
CALLS = ("execve execv execvp execvp_path execvpe execl execlp execle fexecve fexecve_path execveat "
         "execveat_empty").split()
WAYS = (CALLS + [f"vfork_{call}" for call in ("execve", "execvp", "execl", "fexecve")] +
        "fork_execvp thread_execve thread_execvp coroutine_execve coroutine_execvp_path handler_execve "
        "handler_execvp posix_spawn posix_spawnp system popen failures many".split())
# What the user has there already must stay. 300 more variables do not fit the room on the stack.
OWN = {"PYTHONPATH": "/own/first:/own/second", "NODE_OPTIONS": "--no-warnings --stack-size=900"}


def more(count):
    return OWN | {f"VARIABLE_{i}": "x" * 20 for i in range(count)}


built = {}


def program(kind):
    if kind not in built:
        compiler, flags, _ = KINDS[kind]
        built[kind] = tare.compile_program(SOURCE, tare.fresh(f"started-{kind}"), *flags,
                                           compiler=compiler)
        if tare.plain([built[kind]]).status != 7:
            built[kind] = None
    if not built[kind]:
        raise tare.Skip("this machine cannot run such a program")
    return built[kind]


def notes(run):
    return [note for note in run.report()["notes"] if "not traced" in note]


def same(command, kind, env=None, options=("--rate", 1)):
    """The same output, also of the environment; a note with name and reason, or a ledger."""
    reason, name = KINDS[kind][2], program(kind).name
    run = tare.same(command, options, env=tare.environment(**(env or OWN)),
                    clean=lambda text: without_us(text) if may_show(kind) else text)
    about = [note for note in notes(run) if name[:15] in note]  # as much as the kernel keeps of it
    if reason:
        assert about and all(reason in note for note in about), f"\"{reason}\" expected in {notes(run)}"
    else:
        assert not about, about
        assert any(name in process["program"] for process in run.processes()), "it was not watched"
    return run


def may_show(kind):
    """It keeps our words in its environment: it can carry the probe, or its children can."""
    return KINDS[kind][2] in (None, "statically")


def without_us(text):
    build = Path(tare.PROBE).parent
    for ours in (tare.PROBE, f"{build}/python/inject:", f"--require={build}/node/tare.cjs "):
        text = text.replace(ours.encode(), b"")
    return text.replace(b"LD_PRELOAD=\n", b"LD_PRELOAD=(none)\n")


def by_shell(kind):
    same(["sh", "-c", f"{program(kind)} word; exit $?"], kind)


def starts_in(note):
    number = re.search(r"started (\d+) times", note)
    return int(number.group(1)) if number else 1


def in_a_row(kind):
    """Three times: some are seen as they run, the others are counted."""
    run = tare.traced(["sh", "-c", f"for i in 1 2 3; do {program(kind)}; done"])
    assert sum(map(starts_in, notes(run))) == 3, notes(run)


def by_call(how, kind="address", extra=0):
    same([tare.program("starter"), how, program(kind)], kind, env=more(extra))


def by_script():
    """Scripts to the fourth degree, the last one's interpreter is the program."""
    at = program("address")
    for depth in range(3):
        script = tare.fresh("script")
        script.write_text(f"#! {at} \n")
        script.chmod(0o755)
        at = script
    run = tare.same([tare.program("starter"), "execve", at], env=tare.environment(**OWN))
    assert any(at.name in note and "sanitizer" in note for note in notes(run)), notes(run)


def by_python(call):
    same([sys.executable, "-c", f"import os, subprocess, sys; p = {str(program('address'))!r}; "
          f"sys.exit({call})"], "address", env=OWN | {"PYTHONPATH": "/own"})


def by_node(call):
    if not shutil.which("node"):
        raise tare.Skip("no node")
    same(["node", "-e", f"const c = require('child_process'), p = {str(program('address'))!r}; "
          f"const r = {call}; console.log(String(r.stdout)); process.exit(r.status)"], "address",
         env={"NODE_OPTIONS": "--no-warnings"})


def by_wrapper(*command):
    def start(kind="address"):
        if not shutil.which(command[0]):
            raise tare.Skip(f"no {command[0]}")
        same([*command, program(kind)], kind)
    return start


def without_environment():
    """env -i takes us away before we could: there is nothing to be said."""
    run = tare.same(["env", "-i", program("address")])
    assert run.status == 7


def by_setpriv():
    """As sudo does it: another user, and the environment kept."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise tare.Skip("changing the user needs root and setpriv")
    tare.SCRATCH.chmod(0o755)
    same(["setpriv", "--reuid", "65534", "--clear-groups", program("address")], "address")


def failed_starts_are_not_counted():
    """A program that cannot carry the probe and may not be executed: no note."""
    copy = shutil.copy(program("address"), tare.fresh("started-forbidden"))
    os.chmod(copy, 0o644)
    run = tare.same([tare.program("starter"), "fork_execve", copy])
    assert not notes(run), notes(run)


def confined(how):
    """Under a filter that kills who opens a file: none is opened to see what is started."""
    target = program("static")
    for extra in (0, 300):
        run = tare.same([tare.program("starter"), f"filter_{how}", target],
                        env=tare.environment(**more(extra)))
        assert run.status == 7, f"ended with {run.status}"
        assert any("filter of system" in note for note in run.report()["notes"]), run.report()["notes"]


def own_preload_stays():
    """The host's own libraries stay in LD_PRELOAD; its own choice without us is not touched."""
    library = tare.compile_program(Path(__file__).with_name("plugin.c"), tare.fresh("plugin.so"),
                                   "-shared", "-fPIC")
    with_ours = f"${{LD_PRELOAD:+$LD_PRELOAD:}}{library}"
    same(["sh", "-c", f"LD_PRELOAD=\"{with_ours}\" {program('clang_leak')}"], "clang_leak")
    tare.same(["sh", "-c", f"LD_PRELOAD={library} {program('clang_leak')}"],
              clean=lambda text: text.split(b"PYTHONPATH")[0])


def sanitizer_in_preload():
    """A program that is to be run with the runtime of a sanitizer preloaded, as a child and itself."""
    runtime = tare.plain(["gcc", "-print-file-name=libasan.so"]).out.decode().strip()
    target = program("plain")
    quiet = {"ASAN_OPTIONS": "detect_leaks=0"}
    if not os.path.isabs(runtime) or \
            tare.plain([target], env=tare.environment(LD_PRELOAD=runtime, **quiet)).status != 7:
        raise tare.Skip("no libasan that can be preloaded")
    runtime = os.path.realpath(runtime)
    env = tare.environment(**quiet)
    run = tare.same(["sh", "-c", f"LD_PRELOAD=\"{runtime}${{LD_PRELOAD:+:$LD_PRELOAD}}\" {target}"],
                    env=env)
    assert any("LD_PRELOAD" in note for note in notes(run)), notes(run)
    root = tare.traced([target], env=env | {"LD_PRELOAD": runtime})
    assert root.status == 7 and b"in LD_PRELOAD" in root.err, root.err.decode()


table = {f"shell_starts_{kind}": lambda kind=kind: by_shell(kind) for kind in KINDS}
table |= {f"by_{how}": lambda how=how: by_call(how) for how in WAYS}
table |= {f"watched_by_{how}": lambda how=how: by_call(how, "plain")
          for how in CALLS + ["posix_spawn", "posix_spawnp", "vfork_execve", "system"]}
table |= {f"large_environment_by_{how}": lambda how=how: by_call(how, extra=300)
          for how in ("execve", "vfork_execve", "thread_execvp", "fork_execvp", "posix_spawn", "execle")}
table |= {
    "counted": lambda: in_a_row("address"),
    "scripts": by_script,
    "python_subprocess": lambda: by_python("subprocess.run([p]).returncode"),
    "python_spawn": lambda: by_python("subprocess.run([p], close_fds=False).returncode"),
    "python_fork": lambda: by_python("subprocess.run([p], preexec_fn=lambda: 0).returncode"),
    "python_shell": lambda: by_python("subprocess.run(p, shell=True).returncode"),
    "python_environment": lambda: by_python("subprocess.run([p], env=dict(os.environ)).returncode"),
    "python_system": lambda: by_python("os.system(p) >> 8"),
    "python_execv": lambda: by_python("os.execv(p, [p])"),
    "node_spawn": lambda: by_node("c.spawnSync(p)"),
    "node_shell": lambda: by_node("c.spawnSync(p, {shell: true})"),
    "bash": by_wrapper("bash", "-c", "\"$0\"; exit $?"),
    "perl": by_wrapper("perl", "-e", "exit(system($ARGV[0]) >> 8)"),
    "env": by_wrapper("env", "SOME=thing"),
    "nice": by_wrapper("nice"),
    "timeout": by_wrapper("timeout", "60"),
    "setsid": by_wrapper("setsid", "-w"),
    "xargs": by_wrapper("xargs", "--no-run-if-empty", "-a", "/etc/hostname", "sh", "-c", "\"$0\"; true"),
    "without_environment": without_environment,
    "setpriv": by_setpriv,
    "no_new_privileges": by_wrapper("setpriv", "--no-new-privs"),
    "watched_by_no_new_privileges": lambda: by_wrapper("setpriv", "--no-new-privs")("plain"),
    "failed_starts_are_not_counted": failed_starts_are_not_counted,
    "confined_execve": lambda: confined("execve"),
    "confined_execvp": lambda: confined("execvp"),
    "own_preload_stays": own_preload_stays,
    "sanitizer_in_preload": sanitizer_in_preload,
}
tare.Cases().each(table)
