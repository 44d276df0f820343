"""A reader, a worker and a writer, each on its thread, joined by queues of eight places."""
import queue
import threading

import numpy as np

DONE = object()


def read(out):
    rng = np.random.default_rng(46)
    for _ in range(400):
        out.put(rng.random((100, 200)))
    out.put(DONE)


def work(source, out):
    while (block := source.get()) is not DONE:
        out.put(np.linalg.norm(block @ block.T, axis=1))
    out.put(DONE)


def main():
    first, second = queue.Queue(8), queue.Queue(8)
    threads = [threading.Thread(target=read, args=(first,)),
               threading.Thread(target=work, args=(first, second))]
    for thread in threads:
        thread.start()
    total = np.zeros(100)
    while (norms := second.get()) is not DONE:
        total += norms
    for thread in threads:
        thread.join()
    print(float(total.mean()))


if __name__ == "__main__":
    main()
