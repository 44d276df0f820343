"""Draw the curve of each epoch into a file of its own."""
import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def draw(epoch, curve):
    fig, axes = plt.subplots(figsize=(4, 3))
    axes.plot(curve)
    axes.set_title(f"epoch {epoch}")
    out = io.BytesIO()
    fig.savefig(out, format="png", dpi=80)
    plt.close(fig)
    return out.tell()


def main():
    rng = np.random.default_rng(5)
    total = 0
    for epoch in range(50):
        curve = np.cumsum(rng.normal(size=500))
        total += draw(epoch, curve)
    print(total)


if __name__ == "__main__":
    main()
