"""Build an inverted index over documents, then answer a few hundred queries."""
import random
from collections import defaultdict


def documents(rnd, count):
    words = [f"term{number}" for number in range(4000)]
    for _ in range(count):
        yield rnd.choices(words, k=120)


def build(texts):
    index = defaultdict(set)
    for number, words in enumerate(texts):
        for word in words:
            index[word].add(number)
    return index


def search(index, words):
    hits = [index.get(word, set()) for word in words]
    return set.intersection(*hits[:2]) | set.intersection(*hits[2:])


def main():
    rnd = random.Random(33)
    index = build(documents(rnd, 3000))
    terms = sorted(index)
    total = 0
    for _ in range(40_000):
        total += len(search(index, rnd.choices(terms, k=4)))
        total += sum(len(index[term]) for term in rnd.choices(terms, k=100))
    print(len(index), "terms,", total, "hits")


if __name__ == "__main__":
    main()
