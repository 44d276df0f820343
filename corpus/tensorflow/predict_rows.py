"""A service that answers one row at a time."""
import keras
import numpy as np


def make():
    return keras.Sequential([keras.Input((32,)), keras.layers.Dense(64, activation="relu"),
                             keras.layers.Dense(4)])


def main():
    model, chance = make(), np.random.default_rng(5)
    rows = chance.random((150, 32), dtype=np.float32)
    answers = 0
    for row in rows:
        answers += int(model.predict(row[None, :], verbose=0).argmax())
    print(answers)


if __name__ == "__main__":
    main()
