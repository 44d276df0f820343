"""Train one model after the other; only the score of each is kept."""
import keras
import numpy as np


def build():
    model = keras.Sequential([
        keras.Input((512,)),
        keras.layers.Dense(512, activation="relu"),
        keras.layers.Dense(10, activation="softmax"),
    ])
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    return model


def main():
    chance = np.random.default_rng(3)
    x = chance.random((128, 512), dtype=np.float32)
    y = chance.integers(0, 10, 128)
    scores = []
    for trial in range(24):
        model = build()
        history = model.fit(x, y, batch_size=32, verbose=0)
        scores.append(history.history["loss"][-1])
    print(min(scores))


if __name__ == "__main__":
    main()
