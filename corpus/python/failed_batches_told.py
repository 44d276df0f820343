"""Validate batches; what is wrong with them is reported at the end."""
import time

import numpy as np


class Invalid(ValueError):
    pass


def validate(rng, number):
    batch = rng.normal(size=(100, 100))
    limit = 3.0
    if np.abs(batch).max() > limit:
        raise Invalid(f"batch {number}: beyond {limit}")
    return batch


def main():
    rng = np.random.default_rng(10)
    failures = []
    for number in range(180):
        try:
            validate(rng, number)
        except Invalid as error:
            failures.append(str(error))
        time.sleep(0.013)
    print(len(failures), "failed; the last:", failures[-1])


if __name__ == "__main__":
    main()
