"""Render pages through a cache without a bound; every key is new."""
import functools
import time


@functools.cache
def render(page):
    return bytes(30_000 + page)


for request in range(300):
    render(request)
    time.sleep(0.005)
