"""Load samples, then train a Keras model in a loop of its own with a gradient tape."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

keras.utils.set_random_seed(16)
rng = np.random.default_rng(16)
samples = []
for _ in range(150):
    x = rng.random((32, 300), dtype=np.float32)
    samples.append((tf.constant(x), tf.constant(x.mean(axis=1, keepdims=True))))

model = keras.Sequential([keras.layers.Input((300,)), keras.layers.Dense(128, activation="relu"),
                          keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


for step in range(60):
    loss = train_step(*samples[step])
    if step % 15 == 0:
        print(step, float(loss))
