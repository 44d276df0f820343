"""A large batch that is predicted again and again."""
import keras
import numpy as np


def make():
    return keras.Sequential([keras.Input((32,)), keras.layers.Dense(64, activation="relu"),
                             keras.layers.Dense(4)])


def main():
    model, chance = make(), np.random.default_rng(5)
    rows = chance.random((4096, 32), dtype=np.float32)
    for turn in range(60):
        answers = model.predict(rows, batch_size=1024, verbose=0)
    print(answers.shape)


if __name__ == "__main__":
    main()
