"""A worker thread puts its results into a queue for a monitor."""
import queue
import threading
import time

import numpy as np

tasks = queue.Queue(maxsize=8)
results = queue.Queue()


def worker():
    rng = np.random.default_rng(1)
    while True:
        size = tasks.get()
        if size is None:
            return
        histogram = np.sort(rng.random(size))
        results.put(histogram)


def main():
    thread = threading.Thread(target=worker)
    thread.start()
    for number in range(250):
        tasks.put(4000)
        time.sleep(0.01)
    tasks.put(None)
    thread.join()
    print("done,", results.qsize(), "results")


if __name__ == "__main__":
    main()
