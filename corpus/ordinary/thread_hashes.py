"""Hash blocks of data on four threads and collect the digests."""
import hashlib
import random
from concurrent.futures import ThreadPoolExecutor


def digest(number):
    block = random.Random(number).randbytes(400_000)
    return hashlib.sha256(block).hexdigest()


def main():
    with ThreadPoolExecutor(4) as pool:
        digests = list(pool.map(digest, range(400)))
    print(len(set(digests)), "digests, first", digests[0][:12])


if __name__ == "__main__":
    main()
