"""Sample weights: who takes them, under which name, and repeated rows for the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import numpy as np


def weights_parameter(classifier: Any, method: str = "fit") -> str | None:
    """Return the name of the argument that carries sample weights, None if none are taken.

    A pipeline hands them to its last step, unless a step draws other rows. A classifier that
    wraps others takes them only if these do, since some wrappers drop weights and others fail.

    Parameters
    ----------
    classifier : scikit-learn-like classifier
        Fitted or not.
    method : {"fit", "partial_fit"}, default="fit"
        Which method is to take them.

    Returns
    -------
    str or None
        For instance ``"sample_weight"`` or ``"sgdclassifier__sample_weight"``.
    """
    # Here, not above: scikit-learn takes a second to import, and most oracles do without it.
    from sklearn.pipeline import Pipeline

    if isinstance(classifier, Pipeline):
        if any(hasattr(step, "fit_resample") for _, step in classifier.steps):
            return None
        name, last = classifier.steps[-1]
        inner = weights_parameter(last)
        return inner and f"{name}__{inner}"
    inside = [part for part in classifier.get_params(deep=True).values() if _predicts(part)]
    takes = all(
        "sample_weight" in signature(function).parameters
        for function in (getattr(classifier, method), *(part.fit for part in inside))
    )
    return "sample_weight" if takes else None


def _predicts(part: Any) -> bool:
    return hasattr(part, "fit") and hasattr(part, "predict") and not isinstance(part, type)


@contextmanager
def weights_by_name() -> Iterator[None]:
    """Switch metadata routing off: weights are handed over by name, whatever the user has set."""
    from sklearn import config_context

    with config_context(enable_metadata_routing=False):
        yield


def repeated_rows(weights: np.ndarray) -> np.ndarray:
    """Return row numbers, each as often as its whole weight says."""
    return np.repeat(np.arange(len(weights)), weights.astype(np.int64))
