"""The one place that deals with scikit-learn-like classifiers' differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from cbkit._validation import Matrix
from cbkit.oracles.resampling import Resampling


class ConstantModel:
    """Predicts the same probability everywhere: what one-label data teach.

    Parameters
    ----------
    probability : float
        Probability of a reward.
    """

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def predict_proba(self, X: Matrix) -> np.ndarray:
        """Return the probabilities of 0 and 1, shape (n_rounds, 2)."""
        return np.tile([1.0 - self.probability, self.probability], (X.shape[0], 1))


def smoothed_share(positive: Any, total: Any) -> Any:
    """Return ``(positive + 1) / (total + 2)``: what a resample with one label predicts."""
    return (positive + 1.0) / (total + 2.0)


def without_arm(arm: int, by_arm: dict[int, Any]) -> dict[int, Any]:
    """Drop `arm` from a dictionary keyed by arms; the arms after it move down by one."""
    return {other - (other > arm): value for other, value in by_arm.items() if other != arm}


def seeded_clone(classifier: Any, rng: np.random.Generator) -> Any:
    """Clone a classifier, seeding every ``random_state`` that is None from `rng`."""
    copy = clone(classifier)
    seeds = {
        name: int(rng.integers(2**31))
        for name, value in sorted(copy.get_params(deep=True).items())
        if name.split("__")[-1] == "random_state" and value is None
    }
    return copy.set_params(**seeds) if seeds else copy


def _last_step(classifier: Any) -> Any:
    return classifier.steps[-1][1] if isinstance(classifier, Pipeline) else classifier


def takes_sample_weights(classifier: Any) -> bool:
    """Tell whether a classifier, or a pipeline's last step, can be fitted with sample weights."""
    return has_fit_parameter(_last_step(classifier), "sample_weight")


def check_classifier(classifier: Any, method: str, resampling: Resampling | None) -> None:
    """Refuse what cannot be fitted by `method`, or not with the weights of `resampling`.

    Parameters
    ----------
    classifier : object
        What a user gave.
    method : {"fit", "partial_fit"}
        How it is to learn.
    resampling : Resampling or None
        The weights that it is to learn with.

    Raises
    ------
    ValueError
        If it is refused; the message says what to write instead.
    """
    if isinstance(classifier, type):
        raise ValueError(f"classifier must be an instance; write {classifier.__name__}(...)")
    if not hasattr(classifier, method):
        raise ValueError(f"classifier must have a {method} method, got {classifier!r}")
    if not hasattr(classifier, "get_params"):  # what scikit-learn copies an estimator by
        raise ValueError(
            f"classifier must be one that scikit-learn can copy; "
            f"write class {type(classifier).__name__}(sklearn.base.BaseEstimator)"
        )
    fractional = resampling and resampling.kind not in ("multinomial", "poisson")
    if fractional and not takes_sample_weights(classifier):
        raise ValueError(
            f"{type(classifier).__name__} takes no sample weights, which "
            f'{resampling.kind} resamples need; write kind="poisson"'
            + (' or "multinomial"' if method == "fit" else "")
        )


def _weights_argument(classifier: Any, weights: np.ndarray | None) -> dict[str, np.ndarray]:
    if weights is None:
        return {}
    if isinstance(classifier, Pipeline):
        return {f"{classifier.steps[-1][0]}__sample_weight": weights}
    return {"sample_weight": weights}


def _repeat_rows(weights: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(weights)), weights.astype(np.int64))


def fit_guarded(
    classifier: Any,
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray | None,
    rng: np.random.Generator,
    probability: str = "sigmoid",
) -> Any:
    """Fit a clone of a classifier, or a constant where the weights leave one label only.

    Parameters
    ----------
    classifier : scikit-learn-like classifier
        Left as it is.
    X : csr_array or ndarray, shape (n_observations, n_features)
        Contexts.
    rewards : ndarray, shape (n_observations,)
        0 or 1.
    weights : ndarray, shape (n_observations,), or None
        Weights of the observations; whole numbers for classifiers without sample weights.
        Folds of a calibration are as many as the rarer label allows.
    rng : numpy.random.Generator
        Seeds the clone.
    probability : {"sigmoid", "calibrated"}
        See `ClassifierOracle`.

    Returns
    -------
    object
        What `positive_probability` takes.
    """
    rewards = np.asarray(rewards, dtype=np.int64)
    if weights is not None:
        used = np.flatnonzero(weights > 0)
        X, rewards, weights = X[used], rewards[used], weights[used]
    if rewards.size == 0 or rewards.min() == rewards.max():
        total = rewards.size if weights is None else weights.sum()
        return ConstantModel(float(smoothed_share(total * rewards[:1].sum(), total)))
    if weights is not None and not takes_sample_weights(classifier):
        rows = _repeat_rows(weights)
        X, rewards, weights = X[rows], rewards[rows], None
    model = seeded_clone(classifier, rng)
    rarest = int(np.bincount(rewards).min())
    if isinstance(model, CalibratedClassifierCV) and isinstance(model.cv, int | None):
        if rarest < 2:
            return ConstantModel(float(smoothed_share(rewards.sum(), rewards.size)))
        model = model.set_params(cv=min(model.cv or 5, rarest))
    elif probability == "calibrated" and not hasattr(model, "predict_proba"):
        model = _calibrated(model, folds=min(3, rarest))
    return model.fit(X, rewards, **_weights_argument(model, weights))


def _calibrated(model: Any, folds: int) -> Any:
    """Wrap a classifier, or a pipeline's last step, which takes the weights, in calibration."""
    if folds < 2:  # one observation of a label cannot be split: until the next, the sigmoid does
        return model
    if not isinstance(model, Pipeline):
        return CalibratedClassifierCV(model, cv=folds)
    name, last = model.steps[-1]
    return Pipeline([*model.steps[:-1], (name, CalibratedClassifierCV(last, cv=folds))])


def partial_fit(model: Any, X: Matrix, rewards: np.ndarray, weights: np.ndarray | None) -> None:
    """Update a classifier in place with new rows, of one label or both.

    Parameters
    ----------
    model : scikit-learn-like classifier with ``partial_fit``
        Changed in place.
    X, rewards, weights
        The new rows, as for `fit_guarded`; rows of weight 0 are left out.
    """
    rewards = np.asarray(rewards, dtype=np.int64)
    if weights is not None and not has_fit_parameter(model, "sample_weight"):
        rows = _repeat_rows(weights)
        X, rewards, weights = X[rows], rewards[rows], None
    if weights is not None:
        used = np.flatnonzero(weights > 0)
        X, rewards, weights = X[used], rewards[used], weights[used]
    arguments = {} if weights is None else {"sample_weight": weights}
    if rewards.size:
        model.partial_fit(X, rewards, classes=np.array([0, 1]), **arguments)


def positive_probability(model: Any, X: Matrix) -> np.ndarray:
    """Return the probability of a reward from any fitted classifier, shape (n_rounds,).

    ``predict_proba``'s column of label 1 where there is one, else the sigmoid of
    ``decision_function``; a classifier that saw one label predicts that label.

    Raises
    ------
    ValueError
        If the classifier offers neither.
    """
    if hasattr(model, "predict_proba"):
        probabilities = np.asarray(model.predict_proba(X), dtype=np.float64)
        classes = np.asarray(getattr(model, "classes_", [0, 1])).tolist()
        if 1 not in classes:
            return np.zeros(X.shape[0])
        return probabilities[:, classes.index(1)]
    if hasattr(model, "decision_function"):
        return expit(np.asarray(model.decision_function(X), dtype=np.float64))
    raise ValueError(
        f"{type(model).__name__} has neither predict_proba nor decision_function; "
        "wrap it in sklearn.calibration.CalibratedClassifierCV"
    )
