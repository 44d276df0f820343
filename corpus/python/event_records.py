"""Turn raw lines into records."""
import random
import time


class Collector:
    def __init__(self):
        self.events = []

    def parse(self, line):
        user, action, amount = line.split(",")
        return {"user": user, "action": action, "amount": float(amount)}

    def take(self, lines):
        spent = 0.0
        for line in lines:
            event = self.parse(line)
            self.events.append(event)
            spent += event["amount"]
        return spent


def lines(rnd, count):
    return [f"user{rnd.randrange(10**6)},buy,{rnd.random():.5f}" for _ in range(count)]


def main():
    rnd = random.Random(17)
    collector = Collector()
    spent = 0.0
    for turn in range(200):
        spent += collector.take(lines(rnd, 200))
        sum(i * i for i in range(20_000))
        time.sleep(0.012)
    print(round(spent, 3), len(collector.events))


if __name__ == "__main__":
    main()
