"""Try many configurations and keep the models to choose from."""
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
    models = []
    for trial in range(100):
        model = build(512)
        models.append(model)
    print(len(models))


if __name__ == "__main__":
    main()
