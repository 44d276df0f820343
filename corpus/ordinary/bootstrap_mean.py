"""Bootstrap the median of a sample a thousand times and plot the distribution."""
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

rng = np.random.default_rng(29)
sample = rng.lognormal(size=40_000)
medians = []
for _ in range(1000):
    medians.append(float(np.median(rng.choice(sample, 40_000))))
low, high = np.quantile(medians, [0.025, 0.975])
fig, ax = plt.subplots()
ax.hist(medians, bins=40)
ax.axvline(low)
ax.axvline(high)
fig.savefig("medians.png")
print(f"median {np.median(sample):.4f}, 95% between {low:.4f} and {high:.4f}")
