"""Load a table, then serve rows of it to a client until the client says stop."""
import random
import socket
import socketserver
import threading


class Rows(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            key = line.decode().strip()
            if key == "stop":
                threading.Thread(target=self.server.shutdown).start()
                return
            self.wfile.write((self.server.table.get(key, "?") + "\n").encode())


def load(count):
    rnd = random.Random(37)
    table = {}
    for number in range(count):
        table[f"key{number}"] = "".join(rnd.choices("0123456789abcdef", k=100))
    return table


def client(address):
    rnd = random.Random(38)
    with socket.create_connection(address) as connection, connection.makefile("rw") as stream:
        for _ in range(4000):
            stream.write(f"key{rnd.randrange(30_000)}\n")
            stream.flush()
            row = stream.readline()
        stream.write("stop\n")
    print("last row", row.strip()[:16])


def main():
    with socketserver.TCPServer(("127.0.0.1", 0), Rows) as server:
        server.table = load(25_000)
        thread = threading.Thread(target=client, args=(server.server_address,))
        thread.start()
        server.serve_forever()
        thread.join()


if __name__ == "__main__":
    main()
