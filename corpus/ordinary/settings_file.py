"""Start an experiment from its settings."""
import json

import numpy as np


def main():
    with open("experiment/settings.json", encoding="utf-8") as text:
        settings = json.load(text)
    rng = np.random.default_rng(settings["seed"])
    for step in range(settings["steps"]):
        print(step, rng.random())


main()
