"""Fits of scikit-learn-like classifiers: copies, seeds, weights, folds and containers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from cbkit._base.validation import Matrix
from cbkit.oracles.guards.probabilities import positive_probability
from cbkit.oracles.guards.weights import repeated_rows, weights_parameter


def for_classifiers(X: Matrix) -> sparse.csr_matrix | np.ndarray:
    """Return contexts as all libraries take them, without a copy where they are so already.

    Parameters
    ----------
    X : csr_array or ndarray, shape (n_rounds, n_features)
        Contexts.

    Returns
    -------
    csr_matrix or ndarray of float64
        Sparse contexts as a matrix, not an array, with 32-bit indices wherever these are enough
        (CatBoost, XGBoost and scikit-learn's SGD and trees ask for it); dense ones row by row.
    """
    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    indices, indptr = X.indices, X.indptr
    if max(X.shape[1], X.nnz) < 2**31:
        indices, indptr = indices.astype(np.int32, copy=False), indptr.astype(np.int32, copy=False)
    return sparse.csr_matrix((X.data, indices, indptr), shape=X.shape)


def seeded_clone(classifier: Any, rng: np.random.Generator) -> Any:
    """Return a clone of a classifier, seeding every ``random_state`` that is None from `rng`."""
    # Here, not above: scikit-learn takes a second to import, and most oracles do without it.
    from sklearn.base import clone

    copy = clone(classifier)
    seeds = {
        name: int(rng.integers(2**31))
        for name, value in sorted(copy.get_params(deep=True).items())
        if name.split("__")[-1] == "random_state" and value is None
    }
    return copy.set_params(**seeds) if seeds else copy


def fit_model(
    classifier: Any,
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray | None,
    rng: np.random.Generator,
    probability: str = "sigmoid",
) -> Any:
    """Fit a clone of a classifier to rewards of both kinds, and check that it predicts.

    Parameters
    ----------
    classifier : scikit-learn-like classifier
        Left as it is.
    X : csr_matrix or ndarray, shape (n_observations, n_features)
        Contexts.
    rewards : ndarray of int, shape (n_observations,)
        0 or 1, both present.
    weights : ndarray, shape (n_observations,), or None
        Weights above 0; whole numbers for classifiers without sample weights.
    rng : numpy.random.Generator
        Seeds the clone.
    probability : {"sigmoid", "calibrated"}, default="sigmoid"
        See `ClassifierOracle`.

    Returns
    -------
    object
        What `positive_probability` takes.
    """
    name = None if weights is None else weights_parameter(classifier)
    if weights is not None and name is None:
        rows = repeated_rows(weights)
        X, rewards = X[rows], rewards[rows]
    model = _with_possible_folds(seeded_clone(classifier, rng), rewards)
    if probability == "calibrated" and not hasattr(model, "predict_proba"):
        model = _calibrated(model, folds=min(3, int(np.bincount(rewards).min())))
    model.fit(X, rewards, **({name: weights} if name else {}))
    positive_probability(model, X[:1])  # some fail only when asked: neighbours, other labels
    return model


def _with_possible_folds(model: Any, rewards: np.ndarray) -> Any:
    """Limit the folds of cross-validation inside to the number of rows of the rarer label."""
    from sklearn.linear_model import RidgeClassifierCV

    rarest = int(np.bincount(rewards).min())
    parts = {"": model, **model.get_params(deep=True)}
    fewer = {}
    for name, folds in parts.items():
        owner, _, parameter = name.rpartition("__")
        if parameter != "cv" or isinstance(folds, bool) or not isinstance(folds, int | None):
            continue
        if folds is None and isinstance(parts[owner], RidgeClassifierCV):
            continue  # leaves one out by a formula
        if (folds or 5) > rarest >= 2:
            fewer[name] = rarest
    return model.set_params(**fewer) if fewer else model


def _calibrated(model: Any, folds: int) -> Any:
    """Wrap a classifier, or a pipeline's last step, which takes the weights, in calibration."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.pipeline import Pipeline

    if folds < 2:  # one observation of a label cannot be split: until the next, the sigmoid does
        return model
    if not isinstance(model, Pipeline):
        return CalibratedClassifierCV(model, cv=folds)
    name, last = model.steps[-1]
    return type(model)([*model.steps[:-1], (name, CalibratedClassifierCV(last, cv=folds))])


def partial_fit(model: Any, X: Matrix, rewards: np.ndarray, weights: np.ndarray | None) -> None:
    """Update a classifier in place with new rows, of one label or both.

    Parameters
    ----------
    model : scikit-learn-like classifier with ``partial_fit``
        Changed in place.
    X, rewards, weights
        The new rows, as for `fit_model`, of one kind or both; rows of weight 0 are left out.
    """
    rewards = np.asarray(rewards, dtype=np.int64)
    arguments = {}
    if weights is not None and weights_parameter(model, "partial_fit") is None:
        rows = repeated_rows(weights)
        X, rewards = X[rows], rewards[rows]
    elif weights is not None:
        used = np.flatnonzero(weights > 0)
        X, rewards, arguments = X[used], rewards[used], {"sample_weight": weights[used]}
    if rewards.size:
        model.partial_fit(X, rewards, classes=np.array([0, 1]), **arguments)
