"""Compare four models by ten-fold cross-validation."""
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

rng = np.random.default_rng(18)
x = rng.normal(size=(3000, 30))
y = (x[:, :5].sum(axis=1) + rng.normal(size=3000) > 0).astype(int)
models = {"logistic": LogisticRegression(max_iter=200), "bayes": GaussianNB(),
          "neighbours": KNeighborsClassifier(9), "tree": DecisionTreeClassifier(max_depth=8)}
table = {}
for name, model in models.items():
    scores = []
    for train, test in KFold(10, shuffle=True, random_state=0).split(x):
        model.fit(x[train], y[train])
        scores.append(model.score(x[test], y[test]))
    table[name] = (np.mean(scores), np.std(scores))
for name, (mean, spread) in sorted(table.items(), key=lambda item: -item[1][0]):
    print(f"{name:12} {mean:.3f} ± {spread:.3f}")
