"""Keep a session for every request, write to a log that grows, and leave cycles to the collector."""
import time


class Session:
    def __init__(self, number):
        self.number = number
        self.rows = [bytearray(9_000) for _ in range(2)]


class Draft:
    def __init__(self):
        self.text = bytearray(2_000)
        self.me = self


class Server:
    def __init__(self):
        self.sessions = {}
        self.log = bytearray()

    def handle(self, number):
        self.sessions[number] = Session(number)
        self.log += b"request %d\n" % number * 300
        return Draft().text[0]


server = Server()
for request in range(300):
    server.handle(request)
    time.sleep(0.005)
