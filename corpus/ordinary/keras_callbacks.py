"""Fit a Keras model with early stopping and checkpoints, then save it."""
import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import keras  # noqa: E402
import numpy as np  # noqa: E402

keras.utils.set_random_seed(15)
rng = np.random.default_rng(15)
x = rng.normal(size=(640, 32)).astype("float32")
y = (x[:, :4].sum(axis=1) > 0).astype("float32")

model = keras.Sequential([keras.layers.Input((32,)), keras.layers.Dense(48, activation="relu"),
                          keras.layers.Dense(1, activation="sigmoid")])
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
with tempfile.TemporaryDirectory() as folder:
    history = model.fit(
        x[:512], y[:512], validation_data=(x[512:], y[512:]), batch_size=32, epochs=8, verbose=0,
        callbacks=[keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True),
                   keras.callbacks.ModelCheckpoint(os.path.join(folder, "best.keras"),
                                                   save_best_only=True)])
    model.save(os.path.join(folder, "final.keras"))
    print(len(history.history["loss"]), "epochs,", sorted(os.listdir(folder)))
