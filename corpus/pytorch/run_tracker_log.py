"""A minimal experiment tracker."""


class Tracker:
    def __init__(self, name):
        self.name = name
        self.history = []

    def log(self, values):
        self.history.append(dict(values))

    def summary(self):
        last = self.history[-1]
        return f"{self.name}: step {last['step']}, loss {float(last['loss']):.4f}"
