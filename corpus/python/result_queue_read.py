"""A worker thread puts its results into a queue, and the main thread reads them."""
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
        results.put(np.sort(rng.random(size)))


def main():
    thread = threading.Thread(target=worker)
    thread.start()
    middle = 0.0
    for number in range(250):
        tasks.put(4000)
        middle += float(results.get()[2000])
        time.sleep(0.01)
    tasks.put(None)
    thread.join()
    print(round(middle / 250, 4))


if __name__ == "__main__":
    main()
