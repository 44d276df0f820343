#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 200
"""gunicorn and uvicorn: workers are forked, a handler that leaks is found with its line, by requests."""
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402
from tare import judged  # noqa: E402
from environments import ready  # noqa: E402

WSGI = """history = []
latest = None


def application(environ, start_response):
    global latest
    if environ["PATH_INFO"] == "/leak":
        history.append(bytearray(20000))
    latest = bytearray(20000)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
"""
ASGI = """history = []
latest = None


async def application(scope, receive, send):
    global latest
    assert scope["type"] == "http"
    if scope["path"] == "/leak":
        history.append(bytearray(20000))
    latest = bytearray(20000)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})
"""
LEAK_LINE = {"wsgi": 8, "asgi": 9}
REQUESTS = 400


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"ok"), answer.status
    finally:
        connection.close()


def await_server(server, port):
    for _ in range(200):
        assert server.poll() is None, f"the server ended with {server.returncode}"
        try:
            ask(port, "/")
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def serve(text, words, path):
    """Runs the server under tare, asks it, ends it as its supervisor would; the report."""
    home, directory, port = tare.fresh("server"), tare.fresh(), free_port()
    home.mkdir()
    (home / "app.py").write_text(text)
    python = ready("servers")
    command = [tare.TARE, "run", "-q", "-o", directory, "--", python, "-m",
               *[str(word).replace("PORT", str(port)) for word in words]]
    with subprocess.Popen(command, cwd=home, env=tare.environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as server:
        try:
            await_server(server, port)
            for _ in range(REQUESTS):
                ask(port, path)
            server.send_signal(signal.SIGTERM)
            output, _ = server.communicate(timeout=60)
        finally:
            if server.poll() is None:
                server.kill()
    # uvicorn ends by the signal that it was sent; tare passes that on as a shell would.
    assert server.returncode in (0, 128 + signal.SIGTERM), (server.returncode, output.decode()[-2000:])
    return tare.report(directory)


def workers(answer):
    """Processes that have served requests."""
    return [process for process in answer["processes"] if process["steps"]["clock"] == "request"]


def is_leaky(answer, line, count):
    served = workers(answer)
    assert len(served) == count, [(p["pid"], p["steps"]) for p in answer["processes"]]
    for process in served:
        judged(process["verdict"] == "retained", (process["verdict"], process["answer"]))
        finding = process["findings"][0]
        place = finding.get("stored_at") or finding["allocated_at"][0]
        judged(place["line"] == line and os.path.basename(place["file"]) == "app.py", finding)
        judged(18000 < finding["bytes_per_step"]["estimate"] < 22500, finding["bytes_per_step"])


def is_clean(answer, count):
    served = workers(answer)
    assert len(served) == count, [(p["pid"], p["steps"]) for p in answer["processes"]]
    for process in served:
        judged(process["verdict"] in ("clean", "plateau", "gc-lag"), (process["verdict"], process["answer"]))


GUNICORN = ["gunicorn", "-w", "2", "-b", "127.0.0.1:PORT", "app:application"]
THREADS = ["gunicorn", "-w", "1", "--threads", "4", "-b", "127.0.0.1:PORT", "app:application"]
UVICORN = ["uvicorn", "--port", "PORT", "--log-level", "warning", "app:application"]

tare.Cases().each({
    "gunicorn_leaky": lambda: is_leaky(serve(WSGI, GUNICORN, "/leak"), LEAK_LINE["wsgi"], 2),
    "gunicorn_clean": lambda: is_clean(serve(WSGI, GUNICORN, "/"), 2),
    "gunicorn_threads": lambda: is_leaky(serve(WSGI, THREADS, "/leak"), LEAK_LINE["wsgi"], 1),
    "uvicorn_leaky": lambda: is_leaky(serve(ASGI, UVICORN, "/leak"), LEAK_LINE["asgi"], 1),
    "uvicorn_clean": lambda: is_clean(serve(ASGI, UVICORN, "/"), 1),
})
