"""Encode frames into one output buffer."""
import zlib

import numpy as np
import tare


class Sink:
    def __init__(self):
        self.pending = bytearray()
        self.written = 0

    def write(self, data):
        self.pending.extend(data)
        if len(self.pending) >= 300_000:
            self.flush()

    def flush(self):
        self.written += len(self.pending)
        self.pending.clear()


def main():
    rng = np.random.default_rng(40)
    sink = Sink()
    checks = 0
    for _ in range(300):
        frame = rng.integers(0, 256, size=30_000, dtype=np.uint8).tobytes()
        checks ^= zlib.crc32(frame)
        sink.write(frame)
        tare.step()
    print(checks, sink.written)


if __name__ == "__main__":
    main()
