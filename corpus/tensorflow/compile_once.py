"""One model that is compiled once; each phase of its training sets another rate."""
import keras
import numpy as np


def main():
    chance = np.random.default_rng(9)
    x, y = chance.random((32, 64)), chance.random((32, 1))
    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(64, activation="relu"),
                              keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")
    for phase in range(120):
        model.optimizer.learning_rate.assign(0.01 / (phase + 1))
        model.fit(x, y, batch_size=32, verbose=0)
    print(model.count_params())


if __name__ == "__main__":
    main()
