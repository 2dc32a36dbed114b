"""One probability per context from any fitted classifier, whatever it calls it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from cbkit._base.validation import Matrix

_ROUNDING = 1e-6  # how far beyond 0 and 1 single precision may go
_REWARD, _NO_REWARD = ("1", "1.0", "True"), ("0", "0.0", "False")


def positive_probability(model: Any, X: Matrix) -> np.ndarray:
    """Return the probability of a reward from any fitted classifier, shape (n_rounds,).

    ``predict_proba``'s column of label 1 where there is one, else the sigmoid of
    ``decision_function``; a classifier that saw one label predicts that label. Labels may come
    back as numbers, booleans or text, in any order, and probabilities in any container.

    Parameters
    ----------
    model : fitted classifier
        What learned from labels 0 and 1.
    X : csr_matrix or ndarray, shape (n_rounds, n_features)
        Contexts.

    Returns
    -------
    ndarray of float64, shape (n_rounds,)
        Probabilities; what lies outside [0, 1] by rounding alone is clipped.

    Raises
    ------
    ValueError
        If the classifier offers neither, or something else than one probability per context.
    """
    name = type(model).__name__
    if hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(X), dtype=np.float64)
        reward, n_classes = _find_reward(model)
        if found.shape != (X.shape[0], n_classes):
            raise ValueError(
                f"predict_proba of {name} gave shape {found.shape} for {X.shape[0]} contexts and "
                f"{n_classes} labels; it must be {(X.shape[0], n_classes)}, one column per label"
            )
        found = np.zeros(X.shape[0]) if reward is None else found[:, reward]
    elif hasattr(model, "decision_function"):
        found = np.asarray(model.decision_function(X), dtype=np.float64)
        if found.size != X.shape[0]:
            raise ValueError(
                f"decision_function of {name} gave shape {found.shape} for {X.shape[0]} contexts; "
                f"it must be {(X.shape[0],)}, one margin per context"
            )
        reward, n_classes = _find_reward(model)
        margins = found.reshape(-1)
        found = expit(-margins if n_classes == 2 and reward == 0 else margins)
    else:
        raise ValueError(
            f"{name} has neither predict_proba nor decision_function; "
            "wrap it in sklearn.calibration.CalibratedClassifierCV, if it is a classifier"
        )
    return _check_range(found, name)


def _find_reward(model: Any) -> tuple[int | None, int]:
    """Return the position of label 1 among a classifier's labels, and their number."""
    labels = [str(label) for label in np.asarray(getattr(model, "classes_", (0, 1))).tolist()]
    for position, label in enumerate(labels):
        if label in _REWARD:
            return position, len(labels)
    if len(labels) == 1 and labels[0] in _NO_REWARD:
        return None, 1
    raise ValueError(
        f"{type(model).__name__} knows the labels {', '.join(labels)}; "
        "its classes_ must hold the labels that it was given, 0 and 1"
    )


def _check_range(probabilities: np.ndarray, name: str) -> np.ndarray:
    if probabilities.size == 0:
        return probabilities
    low, high = probabilities.min(), probabilities.max()
    if 0 <= low and high <= 1:
        return probabilities
    if not (low >= -_ROUNDING and high <= 1 + _ROUNDING):  # also where they are not numbers
        wrong = probabilities[~((probabilities >= -_ROUNDING) & (probabilities <= 1 + _ROUNDING))]
        raise ValueError(
            f"{name} gave the probability {wrong[0]}; it must lie in [0, 1], "
            "so check its parameters and how its features are scaled"
        )
    return probabilities.clip(0.0, 1.0)
