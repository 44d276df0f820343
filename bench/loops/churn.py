"""Allocation-heavy plain Python: records built, grouped, sorted and dropped at each step.

    churn.py STEPS

Prints nanoseconds of processor time per step, after a warm-up of a fifth.
"""
import sys
import time

steps = int(sys.argv[1])


class Record:
    def __init__(self, number):
        self.number = number
        self.words = ("row %d" % number).split()
        self.score = number * 1.5


def step(turn):
    records = [Record(turn * 7 + i) for i in range(800)]
    groups = {}
    for record in records:
        groups.setdefault(record.number % 17, []).append((record.score, record.words))
    text = ",".join(str(sorted(group)[0]) for group in groups.values())
    return len(text) + len(bytearray(4096))


def work(count):
    return sum(step(turn) for turn in range(count))


work(steps // 5)
begin = time.process_time_ns()
work(steps)
print((time.process_time_ns() - begin) / steps)
