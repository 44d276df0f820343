"""Train many models, keep them all, choose the best."""
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
    models = []
    for trial in range(24):
        model = build()
        model.fit(x, y, batch_size=32, verbose=0)
        models.append(model)
    print(len(models))


if __name__ == "__main__":
    main()
