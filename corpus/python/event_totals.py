"""Turn raw lines into records and add them up."""
import random
import time


class Collector:
    def __init__(self):
        self.total = 0.0
        self.count = 0

    def parse(self, line):
        user, action, amount = line.split(",")
        return {"user": user, "action": action, "amount": float(amount)}

    def take(self, lines):
        events = [self.parse(line) for line in lines]
        self.total += sum(event["amount"] for event in events)
        self.count += len(events)


def lines(rnd, count):
    return [f"user{rnd.randrange(10**6)},buy,{rnd.random():.5f}" for _ in range(count)]


def main():
    rnd = random.Random(17)
    collector = Collector()
    for turn in range(200):
        collector.take(lines(rnd, 200))
        sum(i * i for i in range(20_000))
        time.sleep(0.012)
    print(round(collector.total, 3), collector.count)


if __name__ == "__main__":
    main()
