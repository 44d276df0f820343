#!/usr/bin/env python
# coding: utf-8

# # House prices, second attempt

# In[1]:

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)

# In[2]:

rng = np.random.default_rng(0)
houses = []
for i in range(150):
    houses.append(rng.random((50, 120)).astype("float32"))
X = np.concatenate(houses)
y = X[:, :3].sum(axis=1, keepdims=True)
X.shape, y.shape

# In[5]:

net = nn.Sequential(nn.Linear(120, 256), nn.ReLU(), nn.Linear(256, 1))
opt = torch.optim.Adam(net.parameters())
Xt, yt = torch.tensor(X), torch.tensor(y)

# In[7]:

losses = []
for i in range(60):
    idx = torch.randint(len(Xt), (256,))
    opt.zero_grad()
    loss = ((net(Xt[idx]) - yt[idx]) ** 2).mean()
    loss.backward()
    opt.step()
    losses.append(loss.item())

# In[8]:

losses[-1]

# In[12]:

# ran this one again with a lower rate
opt = torch.optim.Adam(net.parameters(), lr=1e-4)
for i in range(60):
    idx = torch.randint(len(Xt), (256,))
    opt.zero_grad()
    loss = ((net(Xt[idx]) - yt[idx]) ** 2).mean()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(losses[0], losses[-1])
