"""Build trees whose nodes point back to their parent, with the collector off."""
import gc
import time


class Node:
    def __init__(self, parent=None):
        self.parent = parent
        self.data = bytearray(10_000)
        self.child = Node(self) if parent is None else None


gc.disable()
for turn in range(300):
    Node()
    time.sleep(0.005)
