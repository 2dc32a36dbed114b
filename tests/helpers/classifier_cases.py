"""Classifiers that serve as oracles, and what they take."""

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from cbkit import MultilabelDataset

CLASSIFIERS = {
    "logistic": LogisticRegression(),
    "hinge": SGDClassifier(),
    "log_loss": SGDClassifier(loss="log_loss"),
    "gaussian": GaussianNB(),
    "bernoulli": BernoulliNB(),
    "tree": DecisionTreeClassifier(min_samples_leaf=2),
    "forest": RandomForestClassifier(5),
    "xgboost": XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1),
    "ridge": RidgeClassifier(),
    "svm": LinearSVC(),
    "neighbours": KNeighborsClassifier(2),
    "scaled logistic": make_pipeline(StandardScaler(with_mean=False), LogisticRegression()),
    "scaled svm": make_pipeline(MaxAbsScaler(), LinearSVC()),
    "scaled neighbours": make_pipeline(MaxAbsScaler(), KNeighborsClassifier(2)),
}
DENSE_ONLY = {"gaussian"}
WITHOUT_WEIGHTS = {"neighbours", "scaled neighbours"}
CASES = [
    (name, container)
    for name in CLASSIFIERS
    for container in (np.asarray, sparse.csr_array)
    if not (name in DENSE_ONLY and container is sparse.csr_array)
]


def observations(n=60, seed=0):
    """Contexts whose first feature tells the reward nearly always."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4)) * (rng.random((n, 4)) < 0.8)
    X[:, 0] = np.arange(n) % 2
    rewards = np.where(rng.random(n) < 0.9, X[:, 0], 1 - X[:, 0])
    rewards[:4] = 0, 1, 0, 1
    return X, rewards


def planted(n=150, container=np.asarray, seed=0):
    """A data set of three arms, each rewarded by features of its own, none of them negative."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 6)) * (rng.random((n, 6)) < 0.8)
    labels = np.column_stack([X[:, 0] > 0.4, X[:, 1] > 0.5, X[:, 2] + X[:, 3] > 1])
    return MultilabelDataset.from_arrays(container(X), labels)
