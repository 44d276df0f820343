"""Big models that are built and dropped, without training; the session is cleared."""
import keras


def main():
    total = 0
    for trial in range(80):
        model = keras.Sequential([keras.Input((256,)), keras.layers.Dense(768),
                                  keras.layers.Dense(64)])
        total += model.count_params()
        del model
        keras.backend.clear_session(free_memory=False)
    print(total)


if __name__ == "__main__":
    main()
