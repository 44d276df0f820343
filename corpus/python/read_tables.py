"""Read a table of text columns again and again, as a nightly job would."""
import io
import random

import pandas as pd


def make_table(rows):
    rnd = random.Random(3)
    lines = ["name,city,note"]
    for i in range(rows):
        lines.append(f"user{i},town{rnd.randrange(9000)},note {rnd.random():.9f} of {i}")
    return "\n".join(lines)


def main():
    text = make_table(40_000)
    longest = 0
    for night in range(14):
        frame = pd.read_csv(io.StringIO(text), dtype=object)
        longest = max(longest, int(frame["note"].str.len().max()))
        counts = frame.groupby("city").size()
        print("night", night, len(frame), int(counts.max()))
        del frame, counts
    print(longest)


if __name__ == "__main__":
    main()
