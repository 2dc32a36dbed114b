"""What histories of one label, or of two rewards, do to each classifier."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.oracles.oracle import as_oracle
from cbkit.oracles.resampling import Resampling
from cbkit.studies.any_classifier.contenders import N_RESAMPLES, ORACLES, classifier_of

N_ROWS = 20
UPPER = 80  # BootstrappedUCB's percentile


def few_labels(dataset: MultilabelDataset, *, seed: int, n_histories: int = 5) -> pd.DataFrame:
    """Teach classifiers 20 rows without a reward, and 20 rows of which two are rewarded at random.

    The second history says nothing about contexts: a tenth is all that there is to learn of it.

    Parameters
    ----------
    dataset : MultilabelDataset
        Where contexts come from.
    seed : int
        Of the rows.
    n_histories : int, default=5
        Histories of the second kind.

    Returns
    -------
    DataFrame
        Per classifier of `ORACLES`, leaf counts aside: ``by_itself``, what it answers to rows of
        one label outside of an oracle; ``as_oracle``, its score after them; of fresh contexts
        after two rewards, the ``mean`` score, the share of scores ``below_1_in_50`` and
        ``above_half``, and the mean ``upper`` bound of bootstrap resamples.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for name in ORACLES:
        if name == "forest, leaf counts":
            continue
        learns = classifier_of(name, dataset)
        first = dataset.features[:N_ROWS]
        alone = as_oracle(learns)
        _teach(alone, first, np.zeros(N_ROWS), rng)
        single: list[np.ndarray] = []
        resampled: list[np.ndarray] = []
        for _ in range(n_histories):
            order = rng.permutation(dataset.n_rows)
            taught, fresh = dataset.features[order[:N_ROWS]], dataset.features[order[N_ROWS:220]]
            rewards = np.zeros(N_ROWS)
            rewards[:2] = 1
            for resampling, into in (
                (None, single),
                (Resampling(n_resamples=N_RESAMPLES), resampled),
            ):
                oracle = as_oracle(learns, resampling)
                _teach(oracle, taught, rewards, rng)
                into.append(oracle.score(fresh)[:, 0])
        scores = np.concatenate(single)
        rows.append(
            {
                "dataset": dataset.name,
                "oracle": name,
                "by_itself": _by_itself(learns, first),
                "as_oracle": float(alone.score(first)[0, 0, 0]),
                "mean": scores.mean(),
                "below_1_in_50": (scores < 0.02).mean(),
                "above_half": (scores > 0.5).mean(),
                "upper": np.percentile(np.concatenate(resampled), UPPER, axis=1).mean(),
            }
        )
    return pd.DataFrame(rows)


def _teach(oracle: Any, X: Any, rewards: np.ndarray, rng: np.random.Generator) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*too few for")
        oracle.learn(0, X, rewards, rng)


def _by_itself(learns: Any, X: Any) -> str:
    """Return what a classifier outside of an oracle makes of rows of one label."""
    model = LogisticRegression() if learns == "logistic" else clone(learns)
    try:
        chances = model.fit(X, np.zeros(X.shape[0], dtype=int)).predict_proba(X)
    except ValueError as error:
        return type(error).__name__
    if chances.shape[1] == 1:
        return "one column, of 1"
    return f"{chances[:, 1].mean():.2g}"
