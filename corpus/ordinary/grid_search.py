"""Search the parameters of a gradient boosting model on a grid."""
import numpy as np
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import GridSearchCV

rng = np.random.default_rng(19)
x = rng.uniform(-2, 2, size=(400, 10))
y = np.sin(x[:, 0]) + x[:, 1] ** 2 + rng.normal(scale=0.1, size=400)
search = GridSearchCV(GradientBoostingRegressor(n_estimators=25, random_state=0),
                      {"max_depth": [1, 2, 3], "learning_rate": [0.05, 0.1, 0.2],
                       "subsample": [0.7, 1.0]}, cv=4)
search.fit(x, y)
print(search.best_params_, round(search.best_score_, 3))
