"""Convert a table unless the result is already there."""
import argparse
import sys
from pathlib import Path

import pandas as pd


def main():
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--source", type=Path, default=Path("table.csv"))
    ask.add_argument("--target", type=Path, default=Path("table.json"))
    ask.add_argument("--force", action="store_true")
    options = ask.parse_args()
    if not options.source.exists():
        print("nothing to do")
        sys.exit(0)
    frames = []
    for chunk in pd.read_csv(options.source, chunksize=1000):
        frames.append(chunk)
    pd.concat(frames).to_json(options.target, orient="records")


if __name__ == "__main__":
    main()
