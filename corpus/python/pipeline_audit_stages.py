"""Stages of the pipeline, and the pipeline itself."""
import numpy as np


class Normalise:
    def apply(self, batch):
        return (batch - batch.mean(axis=0)) / batch.std(axis=0)


class Clip:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def apply(self, batch):
        return np.clip(batch, self.low, self.high)


class Pipeline:
    def __init__(self, stages):
        self.stages = stages
        self.audit = []

    def run(self, number, batch):
        for stage in self.stages:
            batch = stage.apply(batch)
            self.audit.append((number, type(stage).__name__, batch))
        return batch

    def length(self):
        return len(self.audit)
