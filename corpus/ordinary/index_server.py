"""Build an index, then serve it to a client and stop."""
import json
import random
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    index = {}
    requests = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        words = json.loads(body)
        self.requests.append((self.client_address, body))
        reply = json.dumps([len(self.index.get(word, ())) for word in words]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *words):
        pass


def ask(port, rnd):
    for _ in range(300):
        data = json.dumps([f"term{rnd.randrange(4000)}" for _ in range(3000)]).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", data=data) as reply:
            json.load(reply)


def main():
    rnd = random.Random(60)
    for document in range(2000):
        for _ in range(100):
            Handler.index.setdefault(f"term{rnd.randrange(4000)}", []).append(document)
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        ask(server.server_address[1], rnd)
        server.shutdown()
        thread.join()
    print(len(Handler.requests), "requests")


main()
