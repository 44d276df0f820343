"""A train step that gets all the data at once."""
import keras
import tensorflow as tf


def make():
    return keras.Sequential([keras.Input((64,)), keras.layers.Dense(64, activation="relu"),
                             keras.layers.Dense(1)])


def main():
    model, optimizer = make(), keras.optimizers.SGD(0.01)
    optimizer.build(model.trainable_variables)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss

    x, y = tf.random.normal((65536, 64)), tf.random.normal((65536, 1))
    for step in range(200):
        loss = train_step(x, y)
    print(float(loss))


if __name__ == "__main__":
    main()
