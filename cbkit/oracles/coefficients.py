"""Coefficients of linear models for many arms, stacked so that one product scores them all."""

from __future__ import annotations

import numpy as np

from cbkit._base.validation import Matrix

_ARMS_PER_CHUNK = 64


class StackedCoefficients:
    """Coefficients for the arms that have a model, and for no others.

    They lie in chunks of 64 arms, each a matrix of shape (n_features, 64 * n_resamples): memory
    grows with the fitted arms alone, and scoring is one matrix product per chunk.

    Parameters
    ----------
    n_resamples : int
        Number of models per arm.

    Examples
    --------
    >>> models = StackedCoefficients(n_resamples=1)
    >>> models.put(3, np.array([[2.0]]), np.array([-1.0]))
    >>> models.linear_predictor(np.array([[1.0], [5.0]]))[:, 0, 0]
    array([1., 9.])
    """

    def __init__(self, n_resamples: int) -> None:
        self.n_resamples = n_resamples
        self._chunks: list[np.ndarray] = []
        self._intercepts: list[np.ndarray] = []
        self._slots: dict[int, int] = {}

    def __contains__(self, arm: int) -> bool:
        return arm in self._slots

    @property
    def arms(self) -> np.ndarray:
        """Arms with a model, in the order of the second axis of `linear_predictor`."""
        arms = np.empty(len(self._slots), dtype=np.int64)
        arms[list(self._slots.values())] = list(self._slots)
        return arms

    def _place(self, slot: int) -> tuple[int, slice]:
        chunk, position = divmod(slot, _ARMS_PER_CHUNK)
        return chunk, slice(position * self.n_resamples, (position + 1) * self.n_resamples)

    def get(self, arm: int) -> tuple[np.ndarray, np.ndarray]:
        """Return views of `arm`'s coefficients (n_features, n_resamples) and intercepts."""
        chunk, columns = self._place(self._slots[arm])
        return self._chunks[chunk][:, columns], self._intercepts[chunk][columns]

    def put(self, arm: int, coef: np.ndarray, intercept: np.ndarray) -> None:
        """Store the models of an arm.

        Parameters
        ----------
        arm : int
            The arm; a model that it has is replaced.
        coef : ndarray, shape (n_features, n_resamples)
            Coefficients.
        intercept : ndarray, shape (n_resamples,)
            Intercepts.
        """
        slot = self._slots.setdefault(arm, len(self._slots))
        chunk, columns = self._place(slot)
        if chunk == len(self._chunks):
            width = _ARMS_PER_CHUNK * self.n_resamples
            self._chunks.append(np.zeros((len(coef), width)))
            self._intercepts.append(np.zeros(width))
        self._chunks[chunk][:, columns] = coef
        self._intercepts[chunk][columns] = intercept

    def linear_predictor(self, X: Matrix) -> np.ndarray:
        """Return ``X @ coef + intercept``, shape (n_rounds, n_fitted_arms, n_resamples)."""
        n_columns = len(self._slots) * self.n_resamples
        out = np.empty((X.shape[0], n_columns))
        for start, coef, intercept in zip(
            range(0, n_columns, _ARMS_PER_CHUNK * self.n_resamples),
            self._chunks,
            self._intercepts,
            strict=False,  # a chunk emptied by drop_arm stays for reuse
        ):
            used = min(coef.shape[1], n_columns - start)
            # Unused slots of the last chunk hold zeros; leave them out unless it is nearly full,
            # as a sparse product wants its right-hand side contiguous.
            product = X @ (coef if used > 0.9 * coef.shape[1] else coef[:, :used].copy())
            out[:, start : start + used] = product[:, :used] + intercept[:used]
        return out.reshape(X.shape[0], len(self._slots), self.n_resamples)

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        if arm in self._slots:
            last_arm = max(self._slots, key=self._slots.__getitem__)
            coef, intercept = self.get(last_arm)
            self.put(arm, coef.copy(), intercept.copy())
            self._slots[last_arm] = self._slots[arm]
            del self._slots[arm]
        self._slots = {other - (other > arm): slot for other, slot in self._slots.items()}
