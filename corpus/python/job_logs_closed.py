"""Each job writes its log to a stream of its own."""
import io
import logging
import time

import numpy as np

log = logging.getLogger("jobs")
log.setLevel(logging.INFO)
log.propagate = False


def run_job(number, rng):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    log.addHandler(handler)
    try:
        for part in range(6):
            values = rng.normal(size=20_000)
            log.info("job %d part %d: mean %.6f", number, part, values.mean())
        return len(stream.getvalue())
    finally:
        log.removeHandler(handler)
        handler.close()


def main():
    rng = np.random.default_rng(14)
    written = 0
    for number in range(160):
        written += run_job(number, rng)
        time.sleep(0.015)
    print(written)


if __name__ == "__main__":
    main()
