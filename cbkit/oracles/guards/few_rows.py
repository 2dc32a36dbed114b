"""Histories too small for a classifier: a smoothed share of rewards until they have grown."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from cbkit._base.validation import Matrix
from cbkit.oracles.guards.fitting import fit_model
from cbkit.oracles.guards.wording import first_line

# With so many rows of either label, a fit that fails does not fail for want of rows.
_PLENTY = 100


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


class TooFewRows(ConstantModel):
    """Stands in for a classifier that needs more rows than there are.

    Parameters
    ----------
    probability : float
        Probability of a reward.
    reason : str
        What the classifier said.
    """

    def __init__(self, probability: float, reason: str) -> None:
        super().__init__(probability)
        self.reason = reason


def smoothed_share(positive: Any, total: Any) -> Any:
    """Return ``(positive + 1) / (total + 2)``: what a resample with one label predicts."""
    return (positive + 1.0) / (total + 2.0)


def fit_guarded(
    classifier: Any,
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray | None,
    rng: np.random.Generator,
    probability: str = "sigmoid",
    others: tuple[Matrix, np.ndarray] | None = None,
    is_short: bool = False,
) -> Any:
    """Fit a clone of a classifier, or a constant where it has too little to learn from.

    Rows of one label give a constant, the smoothed share of rewards. So do fewer rows than the
    classifier needs (for folds or a validation set inside it, neighbours, components): it fails
    on them, but not once they are repeated and joined by others.

    Parameters
    ----------
    classifier : scikit-learn-like classifier
        Left as it is.
    X : csr_matrix or ndarray, shape (n_observations, n_features)
        Contexts.
    rewards : ndarray, shape (n_observations,)
        0 or 1.
    weights : ndarray, shape (n_observations,), or None
        Weights of the observations; whole numbers for classifiers without sample weights.
    rng : numpy.random.Generator
        Seeds the clone.
    probability : {"sigmoid", "calibrated"}, default="sigmoid"
        See `ClassifierOracle`.
    others : tuple of csr_matrix or ndarray and ndarray, optional
        Contexts and labels that the classifier is known to learn from, see `try_out`.
    is_short : bool, default=False
        Whether another resample of the same rows was found to have too few.

    Returns
    -------
    object
        What `positive_probability` takes.

    Raises
    ------
    Exception
        What the classifier raises, where more rows would not help.
    """
    rewards = np.asarray(rewards, dtype=np.int64)
    if weights is not None:
        used = np.flatnonzero(weights > 0)
        X, rewards, weights = X[used], rewards[used], weights[used]
    counts = np.ones(rewards.size) if weights is None else weights
    share = float(smoothed_share(counts @ rewards, counts.sum()))
    if rewards.size == 0 or rewards.min() == rewards.max():
        return ConstantModel(share)
    try:
        return fit_model(classifier, X, rewards, weights, rng, probability)
    except Exception as error:
        if not is_short:
            is_short = _rows_would_help(classifier, X, rewards, weights, probability, others)
        if not is_short:
            raise
        return TooFewRows(share, first_line(error))


def _rows_would_help(
    classifier: Any,
    X: Matrix,
    rewards: np.ndarray,
    weights: np.ndarray | None,
    probability: str,
    others: tuple[Matrix, np.ndarray] | None,
) -> bool:
    if np.bincount(rewards).min() >= _PLENTY:
        return False
    rows = _rows_of_either_label(rewards, _PLENTY)
    X, rewards = X[rows], rewards[rows]
    weights = None if weights is None else weights[rows]
    if others is not None:
        joined = [X, others[0]]
        X = sparse.vstack(joined, format="csr") if sparse.issparse(X) else np.vstack(joined)
        rewards = np.concatenate([rewards, others[1]])
        weights = None if weights is None else np.concatenate([weights, np.ones(len(others[1]))])
    return _learns(classifier, X, rewards, weights, probability)


def _rows_of_either_label(rewards: np.ndarray, n: int) -> np.ndarray:
    """Return all rows, those of a label that has fewer than `n` over and over."""
    by_label = [np.flatnonzero(rewards == label) for label in (0, 1)]
    return np.sort(np.concatenate([np.resize(rows, max(n, len(rows))) for rows in by_label]))


def _learns(
    classifier: Any, X: Matrix, rewards: np.ndarray, weights: Any, probability: str
) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit_model(classifier, X, rewards, weights, np.random.default_rng(0), probability)
        except Exception:
            return False
    return True


def warn_of_few_rows(
    arm: str, classifier: Any, reason: str, X: Matrix, rewards: np.ndarray, probability: str
) -> None:
    """Warn that an arm has too few rows for a classifier, and say what to do.

    Parameters
    ----------
    arm : str
        The arm and how much it has seen.
    classifier : scikit-learn-like classifier
        What needs more.
    reason : str
        What it said.
    X, rewards, probability
        The arm's whole history, as for `fit_guarded`.
    """
    rewards = np.asarray(rewards, dtype=np.int64)
    remedy = ""
    for m in (3, 5, 10, 20, 50, _PLENTY):
        if m <= np.bincount(rewards).min():
            continue  # resamples of it have too few
        rows = _rows_of_either_label(rewards, m)
        if _learns(classifier, X[rows], rewards[rows], None, probability):
            remedy = f"; cold_start=MABFirst(a=3, b=7, m={m}) would wait for enough"
            break
    warnings.warn(
        f"{arm}: too few for {type(classifier).__name__} ({reason}); until there are more, such "
        f"arms score their smoothed share of rewards{remedy}",
        stacklevel=3,
    )
