"""Tokenize a text by letters, build the vocabulary, then train a small recurrent model."""
import random

import torch
from torch import nn

torch.manual_seed(12)
torch.set_num_threads(1)
rnd = random.Random(12)
words = ["".join(rnd.choice("abcdefghijklmnop") for _ in range(rnd.randint(2, 9))) for _ in range(400)]

lines = []
for _ in range(3000):
    lines.append(" ".join(rnd.choices(words, k=12)))
vocabulary = {letter: place for place, letter in enumerate(sorted(set("".join(lines))))}
tokens = []
for line in lines:
    tokens.extend(vocabulary[letter] for letter in line)
tokens = torch.tensor(tokens)
print(len(vocabulary), "letters,", len(tokens), "tokens")

embed = nn.Embedding(len(vocabulary), 24)
rnn = nn.GRU(24, 64, batch_first=True)
head = nn.Linear(64, len(vocabulary))
parts = nn.ModuleList([embed, rnn, head])
optimizer = torch.optim.Adam(parts.parameters(), lr=2e-3)
for step in range(80):
    starts = torch.randint(len(tokens) - 33, (16,)).tolist()
    window = torch.stack([tokens[start:start + 33] for start in starts])
    optimizer.zero_grad()
    hidden, _ = rnn(embed(window[:, :-1]))
    loss = nn.functional.cross_entropy(head(hidden).flatten(0, 1), window[:, 1:].flatten())
    loss.backward()
    optimizer.step()
print("loss", round(loss.item(), 3))
