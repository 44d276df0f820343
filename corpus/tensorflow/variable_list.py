"""A state per episode, kept in a list for later."""
import tensorflow as tf


class Agent:
    def __init__(self):
        self.states = []

    def episode(self, number):
        state = tf.Variable(tf.random.normal((128, 128)))
        state.assign(state * 0.5 + float(number))
        self.states.append(state)
        return tf.reduce_mean(state)


def main():
    agent, total = Agent(), 0.0
    for number in range(600):
        total += float(agent.episode(number))
    print(total)


if __name__ == "__main__":
    main()
