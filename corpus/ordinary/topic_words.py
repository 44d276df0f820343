"""Classify short texts: build features of words, fit, look at the strongest words."""
import random

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

rnd = random.Random(21)
topics = [["engine", "wheel", "brake", "road", "fuel"], ["flour", "oven", "salt", "butter", "sugar"]]
common = [f"word{number}" for number in range(3000)]
texts, labels = [], []
for _ in range(2500):
    topic = rnd.randrange(2)
    texts.append(" ".join(rnd.choices(topics[topic], k=2) + rnd.choices(common, k=30)))
    labels.append(topic)
model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), LogisticRegression(max_iter=300))
model.fit(texts[:2000], labels[:2000])
print("accuracy", model.score(texts[2000:], labels[2000:]))
names = model[0].get_feature_names_out()
order = np.argsort(model[1].coef_[0])
print(names[order[:3]], names[order[-3:]])
