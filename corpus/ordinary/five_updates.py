"""Fine-tune the last layer with five updates."""
import torch
from torch import nn

torch.manual_seed(43)
torch.set_num_threads(1)
body = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU())
head = nn.Linear(1024, 4)
body.requires_grad_(False)
optimizer = torch.optim.Adam(head.parameters())
for step in range(5):
    x, y = torch.randn(256, 256), torch.randint(4, (256,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(head(body(x)), y)
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 3))
