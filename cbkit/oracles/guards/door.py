"""What is refused as a classifier: when a policy is made, or at its first contexts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from cbkit._base.validation import Matrix
from cbkit.oracles.guards.weights import weights_parameter
from cbkit.oracles.guards.wording import first_line
from cbkit.oracles.resampling import Resampling

_MIN_ROWS = 10  # a smaller block of contexts says too little about those to come
_MAX_ROWS = 1000  # of a block, and features up to which a trial may have more rows than features
_MAX_DENSE = 10_000_000  # entries that a sparse trial may have in full


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
    name = type(classifier).__name__
    if not hasattr(classifier, method):
        raise ValueError(
            f"classifier must have a {method} method, got {classifier!r:.80}; "
            + (
                'write "logistic", or a classifier such as LogisticRegression()'
                if method == "fit"
                else "write SGDClassifier or another incremental classifier, "
                "or ClassifierOracle for full refits"
            )
        )
    if not hasattr(classifier, "get_params"):  # what scikit-learn copies an estimator by
        raise ValueError(
            f"classifier must be one that scikit-learn can copy; "
            f"write class {name}(sklearn.base.BaseEstimator)"
        )
    # Here, not above: scikit-learn takes a second to import, and most oracles do without it.
    from sklearn.base import clone

    _check_kind(classifier, name)
    try:
        clone(classifier)
    except Exception as error:
        raise ValueError(
            f"scikit-learn cannot copy this {name} ({first_line(error)}); its constructor must "
            "keep each parameter as it is given: where it changes a list, write a tuple"
        ) from error
    whole = resampling is None or resampling.kind in ("multinomial", "poisson")
    if resampling and not whole and weights_parameter(classifier, method) is None:
        raise ValueError(
            f"{name} takes no sample weights, which {resampling.kind} resamples need; "
            'write weights="poisson" in a policy, Resampling(kind="poisson") in an oracle'
        )


def _check_kind(classifier: Any, name: str) -> None:
    """Refuse regressors, clusterers and whatever else is no classifier."""
    try:
        kind = classifier.__sklearn_tags__().estimator_type
    except AttributeError:  # scikit-learn before 1.6, or a class of its own
        kind = getattr(classifier, "_estimator_type", None)
    instead = "write a classifier, such as LogisticRegression(), which predicts a probability"
    if kind not in ("classifier", None):
        article = "an" if kind[0] in "aeiou" else "a"
        raise ValueError(f"{name} is {article} {kind.replace('_', ' ')}; {instead}")
    # Some that know themselves as classifiers learn only by fitting what they can predict.
    if kind is None and not any(hasattr(classifier, score) for score in _SCORES):
        raise ValueError(f"{name} has neither {' nor '.join(_SCORES)}; {instead}")


_SCORES = ("predict_proba", "decision_function")


def try_out(
    fit: Callable[[Matrix, np.ndarray], Any], classifier: Any, X: Matrix
) -> tuple[Matrix, np.ndarray] | None:
    """Fit to the first contexts with made-up rewards, so that what cannot work fails at once.

    The rewards depend on the feature that varies most. The caller's generator is not involved.

    Parameters
    ----------
    fit : callable
        Fits a copy of the classifier to contexts and labels, and predicts.
    classifier : object
        What it fits, for the error.
    X : csr_matrix or ndarray, shape (n_rounds, n_features)
        Contexts, before the first is played.

    Returns
    -------
    tuple of csr_matrix or ndarray and ndarray of int, or None
        Contexts and labels that it learned from; None if there are too few contexts, or none that
        differ.

    Raises
    ------
    ValueError
        If it does not learn from them.
    """
    X = X[:_MAX_ROWS]
    feature = _most_varied(X)
    if feature is None or X.shape[0] < _MIN_ROWS:
        return None
    for contexts, labels in _trials(X, feature):
        error = _error_of(fit, contexts, labels)
        if error is None:
            return contexts, labels
    name = type(classifier).__name__
    remedy = "fit it by itself to a few contexts, and change its parameters or take another"
    if sparse.issparse(X) and contexts.shape[0] * X.shape[1] <= _MAX_DENSE:
        if _error_of(fit, contexts.toarray(), labels) is None:
            remedy = (
                "it needs dense contexts: write make_pipeline(FunctionTransformer("
                f"scipy.sparse.csr_matrix.toarray, accept_sparse=True), {name}(...))"
            )
    raise ValueError(
        f"{name} cannot learn from contexts like the first {X.shape[0]}, as a trial with made-up "
        f"rewards shows ({first_line(error)}); {remedy}"
    ) from error


def trial_weights(resampling: Resampling | None, n: int) -> np.ndarray | None:
    """Return weights of a trial's rows, None where a run has none either."""
    return 1.0 + np.arange(n) % 2 if resampling else None


def _trials(X: Matrix, feature: int) -> Iterator[tuple[Matrix, np.ndarray]]:
    """Return what a classifier may learn from: if one trial was too hard, another may not be."""
    yield _labelled(X, feature, n=40, share=0.4)
    yield _labelled(X, feature, n=200, share=0.2)  # more rows, and room for samplers
    if not sparse.issparse(X) and X.shape[1] <= _MAX_ROWS:  # more rows than features, all distinct
        shuffle = np.random.default_rng(0).permuted
        copies = np.tile(X, (-(-5 * max(X.shape[1], 40) // X.shape[0]), 1))
        yield _labelled(shuffle(copies, axis=0), feature, n=len(copies), share=0.4)


def _labelled(X: Matrix, feature: int, n: int, share: float) -> tuple[Matrix, np.ndarray]:
    """Repeat rows up to `n`, and reward the share with the highest feature, with some noise."""
    X = X[np.arange(n) % X.shape[0]]
    column = X[:, [feature]]
    values = np.ravel(column.toarray() if sparse.issparse(column) else column)
    labels = np.zeros(n, dtype=np.int64)
    labels[np.argsort(values, kind="stable")[n - int(share * n) :]] = 1
    labels[::5] = labels[::5][::-1]
    return X, labels


def _error_of(fit: Callable, X: Matrix, labels: np.ndarray) -> Exception | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few rows, or of no convergence: they are not real
        try:
            fit(X, labels)
        except Exception as error:
            return error
    return None


def _most_varied(X: Matrix) -> int | None:
    """Return which feature has the largest variance, None if no feature varies."""
    squares = X.multiply(X) if sparse.issparse(X) else X * X
    mean = np.ravel(X.mean(axis=0))
    variance = np.ravel(squares.mean(axis=0)) - mean**2
    feature = int(np.argmax(variance))
    return feature if variance[feature] > 1e-12 * (1 + mean[feature] ** 2) else None
