"""One state, assigned anew in each episode."""
import tensorflow as tf


class Agent:
    def __init__(self):
        self.state = tf.Variable(tf.random.normal((128, 128)))

    def episode(self, number):
        self.state.assign(self.state * 0.5 + tf.random.normal((128, 128)))
        return tf.reduce_mean(self.state)


def main():
    agent, total = Agent(), 0.0
    for number in range(300):
        total += float(agent.episode(number))
    print(total)


if __name__ == "__main__":
    main()
