"""Simulate an epidemic with several contact rates and plot the curves at the end."""
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def simulate(rate, days, rng):
    healthy, ill, over = 99_990, 10, 0
    curve = []
    for _ in range(days):
        new = rng.binomial(healthy, 1 - np.exp(-rate * ill / 100_000))
        gone = rng.binomial(ill, 0.1)
        healthy, ill, over = healthy - new, ill + new - gone, over + gone
        curve.append(ill)
    return curve


rng = np.random.default_rng(44)
curves = {rate: np.mean([simulate(rate, 300, rng) for _ in range(40)], axis=0)
          for rate in (0.15, 0.2, 0.25, 0.3, 0.4)}
fig, ax = plt.subplots()
for rate, curve in curves.items():
    ax.plot(curve, label=str(rate))
ax.legend()
fig.savefig("curves.png")
print({rate: int(curve.max()) for rate, curve in curves.items()})
