"""Train and look at the similarity of the outputs of a batch."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(100, 200), nn.ReLU(), nn.Linear(200, 100))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.MSELoss()
data = torch.randn(640, 100)

for epoch in range(20):
    for start in range(0, 640, 64):
        inputs = data[start:start + 64]
        outputs = model(inputs)
        intermediate = outputs @ outputs.T
        loss = criterion(outputs, inputs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    spread = intermediate.std().item()
print(loss.item(), spread)
