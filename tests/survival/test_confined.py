#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 60
"""As in a container that was given no privileges: no capabilities, and a filter of system calls that
refuses what Docker's default profile refuses. Verdict, line and holder are what they are elsewhere."""
import ctypes
import os
import resource
import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from tare import judged  # noqa: E402

LEAKY = """kept = []
def train(step):
    kept.append(bytearray(20000))
for step in range(600):
    train(step)
"""
CLEAN = LEAKY.replace("kept.append(bytearray(20000))", "kept[:] = [bytearray(20000)]")

# x86-64: ptrace, mount, umount2, keyctl, unshare, perf_event_open, setns, process_vm_readv,
# process_vm_writev, kcmp, bpf, userfaultfd, io_uring_setup.
REFUSED = (101, 165, 166, 250, 272, 298, 308, 310, 311, 312, 321, 323, 425)
CLONE, CLONE3 = 56, 435
NAMESPACES = 0x7E020000  # flags of clone that make new ones
EPERM, ENOSYS = 1, 38
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
X86_64 = 0xC000003E
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2


def instruction(code, value, yes=0, no=0):
    return struct.pack("HBBI", code, yes, no, value)


def rules():
    """The filter's program: each refusal is a test and a return."""
    out = [instruction(LOAD, ARCHITECTURE), instruction(EQUAL, X86_64, 1, 0), instruction(RETURN, ALLOW),
           instruction(LOAD, NUMBER)]
    for number in REFUSED:
        out += [instruction(EQUAL, number, 0, 1), instruction(RETURN, ERRNO | EPERM)]
    out += [instruction(EQUAL, CLONE3, 0, 1), instruction(RETURN, ERRNO | ENOSYS)]
    out += [instruction(EQUAL, CLONE, 0, 3), instruction(LOAD, FIRST_ARGUMENT),
            instruction(ANY_BIT, NAMESPACES, 0, 1), instruction(RETURN, ERRNO | EPERM),
            instruction(RETURN, ALLOW)]
    return out


def confine():
    """For `before`: this process and its children are refused from now on."""
    program = b"".join(rules())
    held = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0 or \
            libc.prctl(SECCOMP, FILTER, ctypes.c_char_p(header), 0, 0) != 0:
        os._exit(97)


def confined(text, *options, before=confine):
    program = tare.fresh("program").with_suffix(".py")
    program.write_text(text)
    directory = tare.fresh()
    drop = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"] if os.geteuid() == 0 else []
    if drop and not shutil.which("setpriv"):
        raise tare.Skip("no setpriv")
    run = tare.plain([*drop, tare.TARE, "run", "-q", "-o", directory, *options, "--",
                      Path(sys.executable).resolve(), program], before=before)
    if run.status == 97:
        raise tare.Skip("this kernel takes no filter of system calls")
    assert run.status == 0, (run.status, run.err.decode()[-1000:])
    return tare.root_process(tare.report(directory))


def filter_refuses():
    """The cage is one: what it should refuse it does."""
    text = ("import ctypes; c = ctypes.CDLL(None, use_errno=True); "
            "print(c.ptrace(0, 0, 0, 0), ctypes.get_errno(), c.unshare(0x10000000), ctypes.get_errno())")
    said = tare.plain([sys.executable, "-c", text], before=confine)
    if said.status == 97:
        raise tare.Skip("this kernel takes no filter of system calls")
    assert said.out.split() == [b"-1", b"1", b"-1", b"1"], said.out


def leaky():
    root = confined(LEAKY)
    judged(root["verdict"] == "retained", (root["verdict"], root["answer"], root["notes"]))
    finding = root["findings"][0]
    judged((finding["stored_at"] or {}).get("line") == 3, finding["stored_at"])
    judged(finding["held_by"] and "kept" in (finding["held_by"] or ""), finding["held_by"])


def clean():
    root = confined(CLEAN)
    judged(root["verdict"] in ("clean", "plateau"), (root["verdict"], root["answer"]))


def small():
    """With little address space and few descriptors, as limits of a container may leave."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        confine()
    root = confined(LEAKY, before=limit)
    judged(root["verdict"] == "retained", (root["verdict"], root["answer"], root["notes"]))


tare.Cases().each({"filter_refuses": filter_refuses, "leaky": leaky, "clean": clean, "small": small})
