"""Read images, compute features of all of them, then cluster the features."""
import numpy as np
from sklearn.cluster import MiniBatchKMeans

rng = np.random.default_rng(45)


def read_image(number):
    image = rng.integers(0, 256, size=(120, 160, 3), dtype=np.uint8)
    image[: number % 120] //= 2
    return image


def features(image):
    grey = image.mean(axis=2)
    return np.concatenate([np.histogram(grey, 32)[0], grey.mean(axis=0), grey.std(axis=1)])


images = []
for number in range(200):
    images.append(read_image(number))
table = np.array([features(image) for image in images])
model = MiniBatchKMeans(8, random_state=0, n_init=1)
for turn in range(80):
    model.partial_fit(table[rng.choice(len(table), 64)])
print(np.bincount(model.predict(table)))
