"""Try many configurations; each model is deleted and the session cleared."""
import keras


def build(units):
    model = keras.Sequential([
        keras.layers.Dense(units, activation="relu"),
        keras.layers.Dense(units, activation="relu"),
        keras.layers.Dense(10, activation="softmax"),
    ])
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    return model


def main():
    count = 0
    for trial in range(40):
        model = build(512)
        count += len(model.layers)
        del model
        keras.backend.clear_session()
    print(count)


if __name__ == "__main__":
    main()
