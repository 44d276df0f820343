"""A small web server: it starts, answers three hundred requests and stops."""
import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        numbers = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"sum": sum(numbers), "sorted": sorted(numbers)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def ask(port):
    for number in range(300):
        data = json.dumps([(number * k) % 1009 for k in range(2000)]).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", data=data) as reply:
            answer = json.load(reply)
    print("last sum", answer["sum"])


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    ask(server.server_address[1])
    server.shutdown()
    thread.join()
    server.server_close()


if __name__ == "__main__":
    main()
