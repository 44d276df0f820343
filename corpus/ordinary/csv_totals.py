"""Read a ledger from a CSV file, sum it up by account and write the totals."""
import csv
import random
import tempfile
from collections import defaultdict
from pathlib import Path

rnd = random.Random(35)
with tempfile.TemporaryDirectory() as name:
    source, target = Path(name) / "ledger.csv", Path(name) / "totals.csv"
    with open(source, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["account", "amount", "note"])
        for number in range(60_000):
            writer.writerow([rnd.randrange(800), round(rnd.gauss(0, 100), 2), f"entry {number}"])
    entries = []
    with open(source, newline="") as text:
        for row in csv.DictReader(text):
            entries.append(row)
    totals = defaultdict(float)
    for entry in entries:
        totals[entry["account"]] += float(entry["amount"])
    with open(target, "w", newline="") as out:
        csv.writer(out).writerows(sorted(totals.items()))
    print(len(entries), "entries,", len(totals), "accounts,", target.stat().st_size, "bytes")
