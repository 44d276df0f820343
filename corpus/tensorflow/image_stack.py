"""Read, decode and resize images into one big tensor, again in each epoch."""
import os
import tempfile

import tensorflow as tf


def write(folder, count):
    names = []
    for i in range(count):
        noise = tf.cast(tf.random.uniform((256, 256, 3), maxval=256, dtype=tf.int32), tf.uint8)
        names.append(os.path.join(folder, f"{i}.jpg"))
        tf.io.write_file(names[-1], tf.io.encode_jpeg(noise))
    return names


def decode(name):
    image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
    return tf.image.resize(image, (224, 224)) / 255.0


def load(names):
    images = []
    for name in names:
        images.append(decode(name))
    return tf.stack(images)


def main():
    with tempfile.TemporaryDirectory() as folder:
        names = write(folder, 24)
        for epoch in range(24):
            images = load(names)
            mean = tf.reduce_mean(images)
        print(float(mean))


if __name__ == "__main__":
    main()
