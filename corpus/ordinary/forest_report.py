"""Fit a random forest and report how good it is."""
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import classification_report, confusion_matrix
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(17)
x = rng.normal(size=(3000, 20))
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(int)
train_x, test_x, train_y, test_y = train_test_split(x, y, test_size=0.25, random_state=0)
forest = RandomForestClassifier(n_estimators=80, random_state=0)
forest.fit(train_x, train_y)
guess = forest.predict(test_x)
print(confusion_matrix(test_y, guess))
print(classification_report(test_y, guess))
print(np.argsort(forest.feature_importances_)[::-1][:5])
