"""Read, decode and resize images as a stream that is made anew for each epoch."""
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


def stream(names):
    return tf.data.Dataset.from_tensor_slices(names).map(decode).batch(8).prefetch(1)


def main():
    with tempfile.TemporaryDirectory() as folder:
        names = write(folder, 24)
        for epoch in range(40):
            total = 0.0
            for batch in stream(names):
                total += float(tf.reduce_mean(batch))
        print(total / 3)


if __name__ == "__main__":
    main()
