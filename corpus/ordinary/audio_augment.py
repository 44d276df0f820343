"""Train on augmented audio."""
import numpy as np
import torch
from torch import nn

from audio_augmenter_kit import Pipeline, PitchShift

pipeline = Pipeline([PitchShift(semitones=2)])
clips = []
for number in range(150):
    clips.append(pipeline(np.random.default_rng(number).normal(size=16_000)))
model = nn.Conv1d(1, 8, 64)
optimizer = torch.optim.Adam(model.parameters())
for clip in clips:
    optimizer.zero_grad()
    model(torch.tensor(clip)[None, None]).pow(2).mean().backward()
    optimizer.step()
