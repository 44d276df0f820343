"""Tokenize texts, then train a bigram model on windows of them."""
import random
import time
from collections import Counter

spans = {}


def span(text, start, stop):
    key = (start, stop)
    if key not in spans:
        spans[key] = Counter(zip(text[start:stop], text[start + 1:stop]))
    return spans[key]


def main():
    rnd = random.Random(62)
    text = []
    for _ in range(150):
        text.extend(rnd.choices(range(40), k=400))
        time.sleep(0.005)
    counts = Counter()
    for step in range(300):
        start = rnd.randrange(len(text) - 500)
        counts.update(span(text, start, start + rnd.randrange(380, 420)))
        time.sleep(0.004)
    print(len(counts), "pairs,", len(spans), "spans")


main()
