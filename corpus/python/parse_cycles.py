"""Parse expressions into trees whose nodes know their parent."""
import random
import time


class Node:
    def __init__(self, parent, text):
        self.parent, self.text, self.parts = parent, text, []


def grow(rnd, parent, depth):
    node = Node(parent, str(rnd.random()))
    if depth:
        node.parts = [grow(rnd, node, depth - 1) for _ in range(3)]
    return node


def main():
    rnd = random.Random(77)
    letters = 0
    for _ in range(200):
        tree = grow(rnd, None, 5)
        letters += len(tree.parts[0].parts[1].text)
        time.sleep(0.012)
    print(letters)


if __name__ == "__main__":
    main()
