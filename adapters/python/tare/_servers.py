"""Servers of requests: gunicorn and uvicorn, alone or one inside the other, and Python's own http.server."""
from . import _frameworks, _probe
from ._clocks import REQUEST


def _served(_):
    _probe.tick(REQUEST)


def gunicorn(module):
    """gunicorn.http.wsgi is there: its workers close every response, whatever became of it."""
    _frameworks.on_call(module.Response, "close", _served)


def uvicorn(module):
    """uvicorn.protocols.http.h11_impl or httptools_impl is there: a request begins, the last is over."""
    _frameworks.on_call(module.RequestResponseCycle, "run_asgi", _served)


def http_server(module):
    """http.server is there, which wsgiref and the development servers build on: a request begins."""
    _frameworks.on_call(module.BaseHTTPRequestHandler, "parse_request", _served)
