#!/usr/bin/env python
# coding: utf-8

# In[1]:

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

# In[2]:

rng = np.random.default_rng(26)
df = pd.DataFrame({"height": rng.normal(170, 10, 20000), "age": rng.integers(18, 80, 20000),
                   "city": rng.choice(["Bern", "Graz", "Lyon", "Turin"], 20000)})
df["weight"] = df["height"] * 0.9 - 85 + rng.normal(0, 8, 20000)
df.head()

# In[3]:

df.describe()

# In[4]:

by_city = df.groupby("city").agg({"height": "mean", "weight": ["mean", "std"]})
by_city

# In[6]:

df["bmi"] = df["weight"] / (df["height"] / 100) ** 2
df[["height", "weight", "age", "bmi"]].corr()

# In[9]:

fig, axes = plt.subplots(2, 2, figsize=(9, 7))
for ax, column in zip(axes.flat, ["height", "weight", "age", "bmi"]):
    df[column].plot.hist(ax=ax, bins=40, title=column)
plt.tight_layout()
plt.savefig("explore.png")

# In[10]:

print(by_city.round(1))
