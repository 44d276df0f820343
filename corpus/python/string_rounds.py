"""Tokenise a large document per round and count the tokens."""
import time
from collections import Counter


def tokens(round_number):
    return [f"token-{round_number % 7}-{i}" for i in range(150_000)]


def main():
    kinds = 0
    for round_number in range(24):
        words = tokens(round_number)
        counts = Counter(len(word) for word in words)
        kinds += len(counts)
        del words
        time.sleep(0.1)
    print(kinds)


if __name__ == "__main__":
    main()
