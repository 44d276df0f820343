"""Answer JSON requests."""
import json
import random


def answer(text):
    request = json.loads(text)
    values = request["values"]
    return json.dumps({"id": request["id"], "mean": sum(values) / len(values),
                       "sorted": sorted(values)[:50]})


def main():
    rnd = random.Random(99)
    size = 0
    for turn in range(200):
        for part in range(5):
            text = json.dumps({"id": turn * 5 + part, "values": [rnd.random() for _ in range(800)]})
            size += len(answer(text))
    print(size)


if __name__ == "__main__":
    main()
