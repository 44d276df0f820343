#!/usr/bin/env python3
# suite: test
# limit: 300
"""Programs that people use say the same and return the same with and without the probe."""
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402


def need(command):
    if not shutil.which(command):
        raise tare.Skip(f"no {command}")
    return command


def same(command, **keywords):
    """Alike with and without the probe, and the probe was really there."""
    guest = tare.same(command, **keywords)
    assert tare.ledgers(guest.directory), "no ledger was made: nothing was compared"


def tree(directory):
    """{path: bytes} of everything under a directory."""
    return {str(p.relative_to(directory)): p.read_bytes()
            for p in sorted(Path(directory).rglob("*")) if p.is_file()}


def git_clone():
    need("git")
    env = tare.environment(GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a",
                           GIT_COMMITTER_EMAIL="a@b", GIT_AUTHOR_DATE="2001-01-01T00:00:00Z",
                           GIT_COMMITTER_DATE="2001-01-01T00:00:00Z", HOME=str(tare.SCRATCH),
                           GIT_CONFIG_NOSYSTEM="1")
    origin = tare.fresh("origin")
    shutil.copytree(tare.ROOT / "src", origin / "src")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "all"]):
        assert tare.plain(["git", *words], cwd=origin, env=env).status == 0
    heads, files = [], []
    for call in (tare.plain, tare.traced):
        copy = tare.fresh("clone")
        run = call(["git", "clone", "-q", "--no-local", origin, copy], env=env)
        assert run.status == 0, run.err.decode()
        heads.append(tare.plain(["git", "rev-parse", "HEAD"], cwd=copy, env=env).out)
        files.append(tree(copy / "src"))
        assert tare.plain(["git", "fsck", "--strict"], cwd=copy, env=env).status == 0
    assert heads[0] == heads[1] and files[0] == files[1], "the two clones differ"


def gcc_compiles():
    need("gcc")
    objects = []
    for call in (tare.plain, tare.traced):
        output = tare.fresh("object")
        run = call(["gcc", "-std=c11", "-O2", "-D_GNU_SOURCE", "-Isrc", "-Iinclude", "-c",
                    "src/ledger/writer.c", "-o", output], cwd=tare.ROOT)
        assert run.status == 0, run.err.decode()
        objects.append(output.read_bytes())
    assert objects[0] == objects[1], "the two objects differ"
    same(["gcc", "-c", "/dev/null/missing.c"], cwd=tare.SCRATCH)


def bash_runs():
    script = ('x=0; for i in $(seq 200); do x=$((x + $(echo $i | tr -d a))); done; echo $x; '
              'a=($(seq 3000)); echo ${#a[@]} "${a[*]: -1}"; (exit 3) || echo $?; '
              'trap "echo trapped" EXIT; cat <<< here | wc -c; exit 7')
    same([need("bash"), "-c", script])


def node_runs():
    program = ('const a=[];for(let i=0;i<1e5;i++)a.push({i,s:"x"+i});'
               'console.log(a.length,Buffer.alloc(1e6).length);'
               'new (require("worker_threads").Worker)'
               '("require(`worker_threads`).parentPort.postMessage([1,2,3])",{eval:true})'
               '.on("message",m=>{console.log(m);process.exitCode=5});')
    same([need("node"), "-e", program])


def perl_runs():
    program = ('my %h; $h{$_ % 977} .= $_ for 1..50000; print scalar(keys %h), " ", '
               'length(join "", map { $h{$_} } sort keys %h), "\\n"; '
               'my $p = fork; if (!$p) { print "child\\n"; exit 3 } waitpid $p, 0; '
               'print $? >> 8, "\\n"; exit 6')
    same([need("perl"), "-e", "$| = 1; " + program])


def sqlite_runs():
    script = ("create table t(a integer primary key, b text); "
              "with recursive c(x) as (select 1 union all select x+1 from c where x<20000) "
              "insert into t select x, hex(x*7919) from c; create index i on t(b); "
              "select count(*), sum(length(b)), max(b) from t; select * from missing;")
    same([need("sqlite3"), ":memory:", script])


def python_runs():
    same([sys.executable, "-c", "import json, hashlib; d = {str(i): list(range(i % 50)) for i "
               "in range(5000)}; print(hashlib.md5(json.dumps(d).encode()).hexdigest()); exit(4)"])


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def redis_command():
    """The server, which Debian's redis-tools carries under another name."""
    if shutil.which("redis-server"):
        return shutil.which("redis-server")
    link = tare.SCRATCH / "redis-server"
    if not link.exists():
        link.symlink_to(shutil.which(need("redis-check-rdb")))
    return str(link)


def ask(port, *words):
    return subprocess.run(["redis-cli", "-h", "127.0.0.1", "-p", str(port), *words],
                          capture_output=True, timeout=60).stdout


def serve(prefix):
    """Runs a server under its benchmark; what it holds at the end, and its status."""
    port = free_port()
    work = tare.fresh("redis")
    work.mkdir()
    server = subprocess.Popen([*prefix, redis_command(), "--port", str(port), "--bind",
                               "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
                               str(work)], stdout=subprocess.DEVNULL, env=tare.environment())
    try:
        for _ in range(200):
            if ask(port, "ping").strip() == b"PONG":
                break
            time.sleep(0.05)
        bench = tare.plain(["redis-benchmark", "-h", "127.0.0.1", "-p", port, "-n", 5000, "-c",
                            10, "-q", "-t", "set,get,incr,lpush,rpop,sadd,hset,mset"])
        assert bench.status == 0, bench.err.decode()
        for i in range(20):
            ask(port, "set", f"key{i}", "v" * i * 100)
        keys = sorted(ask(port, "keys", "key[0-9]*").split())
        value = ask(port, "get", "key19")
        ask(port, "shutdown", "nosave")
        status = server.wait(timeout=30)
    finally:
        server.kill()
        server.wait()
    return keys, value, status, re.findall(rb"(?:^|\r)([A-Z][A-Z ()0-9a-z]+):", bench.out)


def redis_serves():
    need("redis-benchmark")
    alone = serve([])
    guest = serve([tare.TARE, "run", "-q", "-o", str(tare.fresh()), "--"])
    assert guest[:3] == alone[:3], f"{guest[:3]} instead of {alone[:3]}"
    assert set(guest[3]) == set(alone[3]), "the benchmark lists differ"


def make_runs():
    """A make with recipes in parallel: many short processes."""
    work = tare.fresh("make")
    work.mkdir()
    (work / "Makefile").write_text(
        "all: $(addsuffix .x,1 2 3 4 5 6 7 8 9)\n%.x:\n\t@echo $* > $@\n\t@cat $@ > $@.y\n")
    same([need("make"), "-B", "-j4", "-C", work, "--no-print-directory"])
    assert sorted(os.listdir(work))[-1] == "Makefile" and len(os.listdir(work)) == 19


tare.Cases().each({
    "git_clone": git_clone,
    "gcc": gcc_compiles,
    "bash": bash_runs,
    "node": node_runs,
    "perl": perl_runs,
    "python": python_runs,
    "sqlite3": sqlite_runs,
    "redis_server": redis_serves,
    "make": make_runs,
})
