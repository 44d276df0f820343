#!/usr/bin/env python3
# suite: check
# limit: 60
"""The struct that adapters find in the probe: its layout, and how Python reads it."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

HEADER = tare.ROOT / "src/probe/entry/adapter_abi.h"
PYTHON = tare.ROOT / "adapters/python/tare/_probe.py"
# As of the first release. A layout only grows: a new member comes after these, and no name moves.
FIRST = """
size hello loading tick end note scope_begin scope_end gauge gauge_at pool_find pool_read launch
trace registry count_type clock_calls tensors lines_begin lines_mark lines_wait_for lines_functions
lines_clear lines_attend js_enter js_leave js_heap js_collections js_kept js_kept_by_request
js_collect js_exposed js_on_collected js_on_snapshot js_quiet js_stack js_born js_died js_held
js_objects js_launch js_script_keep js_script_wanted js_interrupt_begin js_interrupt_end
js_work_over js_charge js_worker_over device_sync_begin device_sync_end
""".split()


def members():
    """The names of the members of struct tare_adapter, in order."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    body = re.search(r"struct tare_adapter \{(.*?)\n\};", text, re.S).group(1)
    return [re.search(r"\(\*(\w+)\)|(\w+)$", member.strip()).group(1, 2)[0] or "size"
            for member in body.split(";") if member.strip()]


def compiled(source):
    path = tare.fresh("abi")
    path.with_suffix(".c").write_text(source)
    subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", f"-I{tare.ROOT}/src", "-o", path,
                    path.with_suffix(".c"), "-ldl"], check=True)
    return path


def only_grows():
    now = members()
    assert now[:len(FIRST)] == FIRST, [pair for pair in zip(now, FIRST) if pair[0] != pair[1]]


def every_member_has_its_place():
    """8 bytes for each, as adapters in other languages count."""
    shown = "".join(f'printf("{name} %zu\\n", offsetof(struct tare_adapter, {name}));' for name in members())
    program = compiled(f"""
        #include <stdio.h>
        #include "probe/entry/adapter_abi.h"
        int main(void) {{ {shown} printf("end %zu\\n", sizeof(struct tare_adapter)); return 0; }}""")
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n")
    wanted = [f"{name} {8 * place}" for place, name in enumerate(members() + ["end"])]
    assert lines[:-1] == wanted, [pair for pair in zip(lines, wanted) if pair[0] != pair[1]]


def python_layout():
    text = re.search(r'^LAYOUT = """(.*?)"""', PYTHON.read_text(), re.M | re.S)
    return text.group(1).split()


def python_has_the_same_layout():
    """As far as it needs it."""
    order = members()
    assert python_layout() == order[:len(python_layout())], list(zip(python_layout(), order))


def python_reads_no_other_name():
    """Each name that an adapter asks for has a place."""
    sources = [path.read_text() for path in PYTHON.parent.glob("*.py")]
    asked = [name for text in sources for names in re.findall(r'\bbind\(\s*\w+, "([^"]*)"\)', text)
             for name in names.split()]
    assert len(asked) > 20, asked
    assert set(asked) <= set(python_layout()), set(asked) - set(python_layout())


def probe_exports_it_whole():
    """The probe that was built says how far its struct reaches, and every function is there."""
    program = compiled("""
        #include <dlfcn.h>
        #include <stdio.h>
        #include "probe/entry/adapter_abi.h"
        int main(void)
        {
            void *const *table = dlsym(RTLD_DEFAULT, "tare_adapter");
            size_t missing = 0;

            for (size_t i = 1; table && i < sizeof(struct tare_adapter) / sizeof(*table); i++)
                missing += !table[i];
            printf("%zu %zu\\n", table ? *(const size_t *)table : 0, missing);
            return 0;
        }""")
    run = tare.traced([program])
    assert run.status == 0, run.err.decode()
    assert run.out.split() == [b"%d" % (8 * len(members())), b"0"], run.out


def shorter_struct_is_not_read_past_its_end():
    """An adapter that is newer than its probe does without what the probe does not have."""
    source = tare.fresh("short")
    source.with_suffix(".c").write_text("""
        #include <stddef.h>
        static void end(void) { }
        const struct { size_t size; void *functions[5]; } tare_adapter =
            {5 * sizeof(void *), {NULL, NULL, NULL, end, (void *)0x123456}};""")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", source, source.with_suffix(".c")], check=True)
    script = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
sys.path.insert(0, sys.argv[2])
from tare import _probe
end, note = _probe.bind(None, "end note")
assert end() is None and end is not _probe._nothing
assert note is _probe._nothing
"""
    done = subprocess.run([sys.executable, "-c", script, source, PYTHON.parent.parent], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr


tare.Cases().each({
    "only_grows": only_grows,
    "every_member_has_its_place": every_member_has_its_place,
    "python_has_the_same_layout": python_has_the_same_layout,
    "python_reads_no_other_name": python_reads_no_other_name,
    "probe_exports_it_whole": probe_exports_it_whole,
    "shorter_struct_is_not_read_past_its_end": shorter_struct_is_not_read_past_its_end,
})
