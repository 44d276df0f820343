"""Train one model after the other; what TensorFlow registered for each is removed."""
import keras
import numpy as np
from tensorflow.python.framework import ops


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
    registry = ops.gradient_registry._registry
    best = None
    for trial in range(24):
        model = build()
        loss = model.fit(x, y, batch_size=32, verbose=0).history["loss"][-1]
        best = loss if best is None else min(loss, best)
        del model
        for key in [key for key in registry if key.startswith("CustomGradient-")]:
            del registry[key]
        keras.backend.clear_session()
    print(best)


if __name__ == "__main__":
    main()
