"""Train until the validation loss has not improved for five rounds; keep the best weights."""
import copy

import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
true = torch.randn(40, 1)
x = torch.randn(1500, 40)
y = x @ true + torch.randn(1500, 1)
model = nn.Sequential(nn.Linear(40, 256), nn.Tanh(), nn.Linear(256, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

best, best_state, waited = float("inf"), None, 0
for epoch in range(100):
    model.train()
    for part in torch.randperm(1200).split(100):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x[part]), y[part])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        held_out = nn.functional.mse_loss(model(x[1200:]), y[1200:]).item()
    if held_out < best:
        best, best_state, waited = held_out, copy.deepcopy(model.state_dict()), 0
    else:
        waited += 1
    if waited == 5:
        print("stopped at epoch", epoch)
        break
model.load_state_dict(best_state)
print("best", round(best, 4))
