"""Load visits into a database, then ask it questions."""
import random
import sqlite3


def load(base, rnd):
    base.execute("create table visits (page text, user integer, seconds real)")
    for _ in range(150):
        rows = [(f"/page/{rnd.randrange(500)}", rnd.randrange(5000), rnd.expovariate(0.1))
                for _ in range(300)]
        base.executemany("insert into visits values (?, ?, ?)", rows)
        base.commit()
    base.execute("create index by_page on visits (page)")


def main():
    rnd = random.Random(34)
    base = sqlite3.connect(":memory:")
    load(base, rnd)
    longest = 0.0
    for _ in range(12_000):
        page = f"/page/{rnd.randrange(500)}"
        rows = base.execute("select user, seconds from visits where page = ? order by seconds desc", (page,))
        longest = max(longest, rows.fetchall()[0][1])
    print("longest visit", round(longest, 1))
    print(base.execute("select page, count(*) from visits group by page order by 2 desc").fetchmany(3))
    base.close()


if __name__ == "__main__":
    main()
