"""Two worker processes square numbers; each keeps all of its answers."""
import multiprocessing
import time

answers = []


def work(count):
    for number in range(count):
        answers.append(bytearray(20_000 + number))
        time.sleep(0.005)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work, args=(300,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
