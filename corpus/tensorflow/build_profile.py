"""What a profiler of lines is run on: a function that builds a model, called again and again."""
import resource

import keras


def build_model():
    inputs = keras.Input((128,))
    hidden = keras.layers.Dense(256, activation="relu")(inputs)
    hidden = keras.layers.Dropout(0.2)(hidden)
    outputs = keras.layers.Dense(10)(hidden)
    model = keras.Model(inputs, outputs)
    model.compile(optimizer="sgd", loss="mse")
    return model.count_params()


def main():
    most = 0
    for turn in range(40):
        total = build_model()
        keras.backend.clear_session()
        most = max(most, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    print(total, most)


if __name__ == "__main__":
    main()
