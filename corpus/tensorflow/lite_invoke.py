"""An interpreter of a small model that is invoked many times."""
import numpy as np
import tensorflow as tf


class Scorer(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(tf.random.normal((128, 64)))

    @tf.function(input_signature=[tf.TensorSpec((16, 128))])
    def score(self, x):
        return tf.nn.relu(x @ self.weights)


def main():
    scorer = Scorer()
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [scorer.score.get_concrete_function()], scorer)
    interpreter = tf.lite.Interpreter(model_content=converter.convert())
    interpreter.allocate_tensors()
    index = interpreter.get_input_details()[0]["index"]
    for turn in range(300):
        interpreter.set_tensor(index, np.full((16, 128), turn, dtype=np.float32))
        interpreter.invoke()
    print(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).shape)


if __name__ == "__main__":
    main()
