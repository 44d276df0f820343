#!/usr/bin/env python3
# measured: yes
# suite: test
# limit: 300
"""Servers of requests: a little that is kept of each is much in a day, and is never called clean."""
from node_case import judged, node, root, script, tare

SERVER = """
const http = require('http');
const sessions = new Map();
const server = http.createServer((request, response) => {
  sessions.set(KEY, { seen: 1 });
  response.end('ok');
});
const TOTAL = 9000;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let sent = 0;
server.listen(0, '127.0.0.1', () => {
  const port = server.address().port;
  const timer = setInterval(() => {
    for (let i = 0; i < 5 && sent < TOTAL; i++) {
      http.get({ port, agent, path: '/session/' + sent++ }, (answer) => answer.resume());
    }
    if (sent === TOTAL) {
      clearInterval(timer);
      setTimeout(() => { agent.destroy(); server.close(); }, 200);
    }
  }, 10);
});
"""


def serve(key):
    run = tare.traced([node(), script(SERVER.replace("KEY", key))], timeout=120)
    assert run.status == 0, run.err.decode()
    process = root(run)
    assert process["steps"]["clock"] == "request", process["steps"]
    return process["verdict"], process["findings"]


def keeps_each():
    verdict, findings = serve("request.url")
    judged(verdict in ("retained", "undecided"), (verdict, findings))


def keeps_one():
    verdict, findings = serve("'all'")
    judged(verdict in ("clean", "plateau"), (verdict, findings))


tare.Cases().each({"a_session_of_each_request_is_not_clean": keeps_each, "one_session_is_none": keeps_one})
