"""Read the prices, then write a report for each day."""
import numpy as np
import pandas as pd


def read(rng, count):
    frames = []
    for number in range(count):
        frames.append(pd.DataFrame({"item": np.arange(400), "price": rng.random(400) * 100,
                                    "store": number}))
    return pd.concat(frames, ignore_index=True)


class Reports:
    def __init__(self):
        self.tables = {}

    def write(self, day, prices, factor):
        table = prices.assign(price=prices["price"] * factor)
        self.tables[day] = table
        return table.groupby("item")["price"].median().max()


def main():
    rng = np.random.default_rng(56)
    prices = read(rng, 50)
    reports = Reports()
    highest = 0.0
    for day in range(150):
        highest = max(highest, reports.write(day, prices, 1 + rng.random() / 10))
    print(round(highest, 2))


main()
