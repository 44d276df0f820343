"""Split texts into letters, then learn sixty merges of neighbouring tokens."""
import random
from collections import Counter


def merge(tokens, pair, joined):
    out, place = [], 0
    while place < len(tokens):
        if tuple(tokens[place:place + 2]) == pair:
            out.append(joined)
            place += 2
        else:
            out.append(tokens[place])
            place += 1
    return out


def main():
    rnd = random.Random(36)
    words = ["".join(rnd.choices("etaoinshr", k=rnd.randint(2, 8))) for _ in range(300)]
    texts = []
    for _ in range(150):
        texts.append(list(" ".join(rnd.choices(words, k=40))))
    merges = {}
    for step in range(60):
        pairs = Counter()
        for tokens in texts:
            pairs.update(zip(tokens, tokens[1:]))
        pair = pairs.most_common(1)[0][0]
        merges[pair] = "".join(pair)
        texts = [merge(tokens, pair, merges[pair]) for tokens in texts]
    print(len(merges), "merges,", sum(map(len, texts)), "tokens")


if __name__ == "__main__":
    main()
