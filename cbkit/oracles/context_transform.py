"""Contexts as one would prepare them: a transformer that is fitted on the rows seen so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import Matrix, as_features, check_whole
from cbkit.oracles.guards.fitting import seeded_clone


@suggest_keywords
@dataclass(kw_only=True)
class ContextTransform:
    """Transform contexts by what a scikit-learn transformer learned from all rows seen so far.

    It is fitted when `first` rows have come, and anew whenever their number has doubled; each
    time the policy's oracles learn anew too, from raw histories. It sees contexts alone, of
    whatever arm, and never one that has not been played.

    Parameters
    ----------
    transformer : scikit-learn-like transformer
        With ``fit`` and ``transform``, such as ``TfidfTransformer()``, ``StandardScaler()``, a
        pipeline or a union of some; cloned at each fit, never changed.
    first : int, default=50
        Rows at the first fit, at least 1; until then no oracle learns.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from sklearn.preprocessing import StandardScaler
    >>> from cbkit import Greedy, load_dataset, simulate
    >>> scaled = ContextTransform(transformer=StandardScaler())
    >>> policy = replace(Greedy(10), context_transform=scaled)
    >>> _ = simulate(policy, load_dataset("digits"), seed=0, n_rounds=500)
    >>> policy.context_transform.n_rows_            # 50 doubled, and again, and again
    400
    """

    transformer: Any
    first: int = 50

    def __post_init__(self) -> None:
        if isinstance(self.transformer, type):
            raise ValueError(
                f"transformer must be an instance; write {self.transformer.__name__}(...)"
            )
        for method in ("fit", "transform", "get_params"):
            if not hasattr(self.transformer, method):
                raise ValueError(
                    f"transformer must be a scikit-learn-like one with {method}, "
                    f"got {self.transformer!r}"
                )
        check_whole("first", self.first)
        self.fitted_: Any = None
        self.n_rows_ = 0  # at the last fit
        self._history: Any = None  # transformed rows

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_history": None}  # made again from the raw rows

    def is_due(self, n_rows: int) -> bool:
        """Return whether it is to be fitted to the `n_rows` rows that came so far."""
        return n_rows >= max(self.first, 2 * self.n_rows_)

    def fit(self, X: Matrix, rng: np.random.Generator) -> None:
        """Fit a clone to all rows so far.

        Parameters
        ----------
        X : csr_array or ndarray, shape (n_rows, n_features)
            Raw contexts.
        rng : numpy.random.Generator
            Seeds the clone.
        """
        self.fitted_ = seeded_clone(self.transformer, rng).fit(X)
        self.n_rows_ = X.shape[0]
        self._history = None

    @property
    def n_kept(self) -> int:
        """Number of transformed rows that `rows` chooses from."""
        return 0 if self._history is None else self._history.shape[0]

    def keep(self, X: Matrix) -> None:
        """Transform further rows of the history and keep them, so that each is done once."""
        new = self(X)
        if self._history is None:
            self._history = new
        elif sparse.issparse(new):
            self._history = sparse.csr_array(sparse.vstack([self._history, new], format="csr"))
        else:
            self._history = np.concatenate([self._history, new])

    def rows(self, numbers: np.ndarray) -> Matrix:
        """Return kept rows by their numbers, shape (n, n_transformed)."""
        return self._history[numbers]

    def __call__(self, X: Matrix) -> Matrix:
        """Return transformed contexts, shape (n_rounds, n_transformed); raw before the first fit.

        Raises
        ------
        ValueError
            If the transformer gives something else than as many rows of finite numbers.
        """
        if self.fitted_ is None or X.shape[0] == 0:
            return X
        transformed = as_features(self.fitted_.transform(X), "contexts", copy=False)
        if transformed.shape[0] != X.shape[0]:
            raise ValueError(
                f"{type(self.transformer).__name__} made {transformed.shape[0]} rows of "
                f"{X.shape[0]}; give a transformer that keeps the number of rows"
            )
        return transformed
