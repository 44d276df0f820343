"""A stream that is shuffled with a large buffer."""
import tensorflow as tf


def main():
    stream = tf.data.Dataset.range(40000).map(lambda i: tf.fill((2048,), tf.cast(i, tf.float32)))
    total = 0.0
    for step, batch in enumerate(stream.shuffle(12000).batch(32)):
        total += float(batch[0, 0])
        if step == 400:
            break
    print(total)


if __name__ == "__main__":
    main()
