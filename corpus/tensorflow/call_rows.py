"""A service that answers one row at a time by calling the model."""
import keras
import numpy as np


def make():
    return keras.Sequential([keras.Input((32,)), keras.layers.Dense(64, activation="relu"),
                             keras.layers.Dense(4)])


def main():
    model, chance = make(), np.random.default_rng(5)
    rows = chance.random((400, 32), dtype=np.float32)
    answers = 0
    for row in rows:
        answers += int(np.argmax(model(row[None, :], training=False)))
    print(answers)


if __name__ == "__main__":
    main()
