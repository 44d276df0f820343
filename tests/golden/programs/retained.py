"""Answer requests and keep every body in a list."""
import time

seen = []


def handle(number):
    body = bytearray(20_000)
    body[0] = number % 256
    seen.append(body)
    return len(body)


for request in range(300):
    handle(request)
    time.sleep(0.005)
