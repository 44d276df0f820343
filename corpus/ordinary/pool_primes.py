"""Count primes in ranges with a pool of processes."""
from multiprocessing import Pool


def count_primes(bounds):
    first, last = bounds
    sieve = bytearray([1]) * (last + 1)
    sieve[0:2] = b"\0\0"
    for number in range(2, int(last ** 0.5) + 1):
        if sieve[number]:
            sieve[number * number::number] = bytes(len(range(number * number, last + 1, number)))
    return sum(sieve[first:last])


def main():
    ranges = [(start, start + 5000) for start in range(0, 400_000, 5000)]
    with Pool(2) as pool:
        counts = pool.map(count_primes, ranges, chunksize=4)
    print(sum(counts), "primes below 400000")


if __name__ == "__main__":
    main()
