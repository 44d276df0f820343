"""Parse a list of prices and average them."""
import random
import time


def download(rnd, count):
    for number in range(count):
        time.sleep(0.01)
        prices = [f"{rnd.random() * 100:.2f}" for _ in range(2000)]
        if number == 117:
            prices[40] = "n/a"
        yield ";".join(prices)


def main():
    rnd = random.Random(40)
    days = []
    for line in download(rnd, 150):
        days.append([float(price) for price in line.split(";")])
    for day in days:
        print(sum(day) / len(day))


main()
