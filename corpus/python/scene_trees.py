"""Build a scene tree per frame; children know their parent. The last frames can be replayed."""
import time
from collections import deque

import numpy as np
import pandas as pd


class Node:
    def __init__(self, parent, rng):
        self.parent = parent
        self.children = []
        self.mesh = rng.random(5000) if rng is not None else None
        if parent:
            parent.children.append(self)


def build(rng):
    root = Node(None, None)
    for _ in range(4):
        arm = Node(root, rng)
        for _ in range(3):
            Node(arm, None)
    return root


def main():
    rng = np.random.default_rng(9)
    names = pd.Series([f"frame{i}" for i in range(200)])
    recent = deque(maxlen=40)
    area = 0.0
    for frame in range(200):
        root = build(rng)
        recent.append(root)
        area += sum(float(child.mesh.sum()) for child in root.children)
        time.sleep(0.012)
    print(len(names), round(area, 2))


if __name__ == "__main__":
    main()
