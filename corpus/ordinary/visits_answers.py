"""Load visits into a database, then answer questions about them."""
import random
import sqlite3
import time

answers = {}


def load(base, rnd):
    base.execute("create table visits (page integer, user integer, seconds real)")
    for _ in range(150):
        rows = [(rnd.randrange(100), rnd.randrange(5000), rnd.expovariate(0.1)) for _ in range(150)]
        base.executemany("insert into visits values (?, ?, ?)", rows)
        time.sleep(0.005)


def visitors(base, page, since):
    if (page, since) not in answers:
        query = "select user, seconds from visits where page = ? and seconds > ?"
        answers[page, since] = base.execute(query, (page, since)).fetchall()
    return answers[page, since]


def main():
    rnd = random.Random(59)
    base = sqlite3.connect(":memory:")
    load(base, rnd)
    total = 0
    for _ in range(400):
        total += len(visitors(base, rnd.randrange(100), rnd.random()))
        time.sleep(0.003)
    print(total, "rows")


main()
