#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 120
"""Memory that an add-on of a package loses: the native code is named, with the package and its version."""
import json
import subprocess

from node_case import judged, node, root, tare

SOURCE = tare.ROOT / "corpus/node/shared/frames.c"
PROGRAM = """const frames = require('frames');
function work() {
  return frames.mean(5000);
}
let turn = 0;
function next() {
  work();
  require('tare').step();
  if (++turn < 500) setTimeout(next, 5);
}
next();
"""


def installed(strip):
    """A program with the package frames 2.3.4 in its node_modules."""
    home = tare.fresh("app")
    package = home / "node_modules" / "frames"
    addon = package / "build" / "Release" / "frames.node"
    addon.parent.mkdir(parents=True)
    description = {"version": "2.3.4", "name": "frames", "main": "index.js"}
    (package / "package.json").write_text(json.dumps(description))
    (package / "index.js").write_text("module.exports = require('./build/Release/frames.node');\n")
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-g", "-fPIC", "-shared", "-I", tare.ROOT / "adapters/node",
                    "-o", addon, SOURCE], check=True)
    if strip:
        subprocess.run(["strip", addon], check=True)
    (home / "main.js").write_text(PROGRAM)
    return home / "main.js"


def named(strip):
    main = installed(strip)
    run = tare.traced([node(), main], cwd=main.parent)
    assert run.status == 0, run.err.decode()
    found = root(run)["findings"]
    judged(found and found[0]["kind"] == "native", found)
    assert found[0]["allocated_at"][0]["function"] == "work", found[0]["allocated_at"]
    frames = found[0]["native_frames"]
    assert frames and all(frame["module"] == "frames.node" for frame in frames), frames
    assert all((frame["package"], frame["version"]) == ("frames", "2.3.4") for frame in frames), frames
    assert found[0]["lost_in"] == "frames 2.3.4", found[0]
    if not strip:
        assert found[0]["made_in"] == "frames 2.3.4: frames.node js_mean", found[0]["made_in"]
        assert frames[0]["symbol"] == "decoded", frames
    text = tare.plain([tare.TARE, "export", "--format", "issue", run.directory]).out.decode()
    assert "in frames 2.3.4\n" in text and "- frames 2.3.4\n" in text and str(main.parent) not in text, text


tare.Cases().each({"with_debug_information": lambda: named(False), "stripped": lambda: named(True)})
