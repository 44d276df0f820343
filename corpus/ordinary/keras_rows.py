"""Read rows of a table, then fit a Keras model for sixty batches."""
import csv
import io
import os
import random

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import keras  # noqa: E402
import numpy as np  # noqa: E402

keras.utils.set_random_seed(14)
rnd = random.Random(14)
text = io.StringIO()
writer = csv.writer(text)
for _ in range(150):
    writer.writerow([f"{rnd.random():.6f}" for _ in range(400)])
text.seek(0)

rows = []
for row in csv.reader(text):
    rows.append(np.array([float(cell) for cell in row], dtype="float32"))
x = np.stack(rows)
y = x.mean(axis=1)

model = keras.Sequential([keras.layers.Input((400,)), keras.layers.Dense(64, activation="relu"),
                          keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(x, y, batch_size=10, epochs=4, verbose=0)
print(model.evaluate(x, y, verbose=0))
