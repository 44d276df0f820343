#!/usr/bin/env python3
# measured: yes
# suite: check
# limit: 60
"""A native program that leaks what an installed library allocates for it: its own line is named first."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from tare import judged  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "inflater.c"
LINE = next(number for number, line in enumerate(SOURCE.read_text().split("\n"), 1) if "here" in line)


def own_line_comes_first():
    program = tare.compile_program(SOURCE, tare.fresh("inflater"), "-O1", "-Wl,--no-as-needed", "-lz")
    run = tare.traced([program])
    assert run.status == 0, run.err.decode()
    findings = tare.root_process(run.report())["findings"]
    judged(findings and findings[0]["kind"] in ("native", "retained"), findings)
    for found in findings:
        where = found["allocated_at"][0]
        assert (Path(where["file"]).name, where["line"]) == ("inflater.c", LINE), found["allocated_at"]
        assert [frame["function"] for frame in found["allocated_at"][:2]] == ["begin", "main"], found
        frames = found["native_frames"]
        assert frames and all(frame["module"].startswith("libz.") for frame in frames), frames
        assert found["made_in"].startswith("libz.so inflateInit"), found["made_in"]
        assert found["lost_in"] is None, found  # the program should have called inflateEnd()


tare.Cases().each({"own_line_comes_first": own_line_comes_first})
