"""Serve requests; names are looked up in a table."""
import random
import time

known = {}


def name_of(number):
    name = known.get(number)
    if name is None:
        name = known[number] = f"request-{number:08d}-" + "x" * 200
    return name


def main():
    rnd = random.Random(23)
    letters = 0
    for turn in range(200):
        for i in range(120):
            letters += len(name_of((turn * 120 + i) % 3000))
        sorted(rnd.random() for _ in range(6000))
        time.sleep(0.012)
    print(letters)


if __name__ == "__main__":
    main()
