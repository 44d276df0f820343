"""Serve requests; names are looked up in a table of another module."""
import random
import time

from request_names_table import name_of


def serve(rnd, turn):
    letters = 0
    for i in range(120):
        number = turn * 120 + i
        letters += len(name_of(number))
    return letters + rnd.randrange(10)


def main():
    rnd = random.Random(23)
    letters = 0
    for turn in range(200):
        letters += serve(rnd, turn)
        sorted(rnd.random() for _ in range(6000))
        time.sleep(0.012)
    print(letters)


if __name__ == "__main__":
    main()
