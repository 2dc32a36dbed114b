"""The five data-generating models of the study of bound coverage (appendix A of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

INDEPENDENT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
HALF_VARIANCE = ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.5))
CORRELATED = ((3.17, -1.08, -2.19), (-1.08, 2.23, 1.10), (-2.19, 1.10, 1.63))

TARGETS = ("expected", "noise-free", "linear predictor", "noisy linear predictor", "complement")


@dataclass(frozen=True, kw_only=True)
class CoverageModel:
    r"""A regression on three normal features with known coefficients.

    The linear predictor is :math:`\eta = b_0 + 1.05 x_1 - 2.35 x_2 + 0.15 x_3`, and the data have
    :math:`y = \eta + \epsilon` (linear) or
    :math:`y \sim \text{Bernoulli}(1 / (1 + \exp(-\eta - \epsilon)))` (logistic).

    Parameters
    ----------
    name : str
        Name of the model, as in the tables.
    family : {"linear", "logistic"}
        Kind of regression.
    intercept : float
        The bias term :math:`b_0`.
    covariance : nested tuple, 3 x 3
        Covariance of the features, whose mean is 0.
    noise_variance : float
        Variance of :math:`\epsilon`.
    literal_sign : bool, default=False
        ``True`` takes the paper's formula to the letter, in which :math:`\eta + \epsilon` stands in
        the exponent without a minus, so that the log-odds are :math:`-(\eta + \epsilon)`.
    slopes : tuple of three floats
        The coefficients of the features.

    Examples
    --------
    >>> MODELS["linear"].predictor(np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]))
    array([8.  , 9.05])
    """

    name: str
    family: str
    intercept: float
    covariance: tuple[tuple[float, ...], ...]
    noise_variance: float
    literal_sign: bool = False
    slopes: tuple[float, float, float] = (1.05, -2.35, 0.15)

    def __post_init__(self) -> None:
        if self.family not in ("linear", "logistic"):
            raise ValueError(f'family must be "linear" or "logistic", got {self.family!r}')
        if np.shape(self.covariance) != (3, 3):
            raise ValueError(f"covariance must be 3 x 3, got shape {np.shape(self.covariance)}")
        if self.noise_variance < 0:
            raise ValueError(f"noise_variance must not be negative, got {self.noise_variance}")
        if self.family == "linear" and self.literal_sign:
            raise ValueError("literal_sign concerns the logistic models; leave it out for linear")

    def features(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw features with a leading column of ones, shape ``(*shape, 4)``."""
        X = np.ones((*shape, 4))
        X[..., 1:] = rng.standard_normal((*shape, 3)) @ np.linalg.cholesky(self.covariance).T
        return X

    def predictor(self, X: np.ndarray) -> np.ndarray:
        """Return the linear predictor as the paper writes it, without noise."""
        return X @ np.array([self.intercept, *self.slopes])

    def samples(
        self, n_samples: int, sample_size: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw samples of the same size.

        Parameters
        ----------
        n_samples : int
            Number of samples.
        sample_size : int
            Observations in each.
        rng : numpy.random.Generator
            Source of the draws.

        Returns
        -------
        X : ndarray, shape (n_samples, sample_size, 4)
            Features with a leading column of ones.
        y : ndarray, shape (n_samples, sample_size)
            Targets; 0 or 1 for the logistic models.
        """
        X = self.features((n_samples, sample_size), rng)
        noisy = self.noisy_predictor(X, rng)
        if self.family == "linear":
            return X, noisy
        return X, (rng.random(noisy.shape) < expit(self._log_odds(noisy))).astype(np.float64)

    def noisy_predictor(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the linear predictor with the model's noise added."""
        noise = rng.standard_normal(X.shape[:-1])
        return self.predictor(X) + np.sqrt(self.noise_variance) * noise

    def target(self, kind: str, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return what a bound is compared with at the test points.

        Parameters
        ----------
        kind : str
            ``expected`` is the expected target given the features, E(y | x), averaged over the
            noise: what the oracle estimates and the bound should exceed. The others are readings of
            the paper's logistic tables: ``noise-free`` the probability with the noise set to 0,
            ``linear predictor`` and ``noisy linear predictor`` the exponent itself, ``complement``
            the noise-free probability of the other label.
        X : ndarray, shape (n_test, 4)
            Features of the test points.
        rng : numpy.random.Generator
            Source of the noise of ``noisy linear predictor``.

        Returns
        -------
        ndarray, shape (n_test,)
            The target at each test point.
        """
        if kind not in TARGETS:
            raise ValueError(f"unknown target {kind!r}; write one of {', '.join(TARGETS)}")
        if self.family == "linear" and kind != "expected":
            raise ValueError(f"target {kind!r} is for logistic models; write 'expected' for linear")
        predictor = self.predictor(X)
        if self.family == "linear" or kind == "linear predictor":
            return predictor
        if kind == "noisy linear predictor":
            return self.noisy_predictor(X, rng)
        if kind == "expected":
            nodes, weights = np.polynomial.hermite_e.hermegauss(31)
            noisy = predictor[:, None] + np.sqrt(self.noise_variance) * nodes
            return expit(self._log_odds(noisy)) @ (weights / weights.sum())
        probability = expit(self._log_odds(predictor))
        return probability if kind == "noise-free" else 1 - probability

    def _log_odds(self, noisy: np.ndarray) -> np.ndarray:
        return -noisy if self.literal_sign else noisy


MODELS = {
    model.name: model
    for model in (
        CoverageModel(
            name="linear", family="linear", intercept=8, covariance=INDEPENDENT, noise_variance=1
        ),
        CoverageModel(
            name="linear_correlated",
            family="linear",
            intercept=8,
            covariance=CORRELATED,
            noise_variance=1,
        ),
        CoverageModel(
            name="linear_small_bias",
            family="linear",
            intercept=0.5,
            covariance=INDEPENDENT,
            noise_variance=1,
        ),
        CoverageModel(
            name="logistic_independent",
            family="logistic",
            intercept=-2,
            covariance=HALF_VARIANCE,
            noise_variance=0.5,
        ),
        CoverageModel(
            name="logistic_correlated",
            family="logistic",
            intercept=-2,
            covariance=CORRELATED,
            noise_variance=0.5,
        ),
    )
}


def describe_models(seed: int, sample_size: int = 10_000) -> pd.DataFrame:
    """Tabulate the models by one large sample of each."""
    rows = []
    for model in MODELS.values():
        X, y = model.samples(1, sample_size, np.random.default_rng(seed))
        rows.append(
            {
                "model": model.name,
                "intercept": model.intercept,
                "std of the linear predictor": model.predictor(X).std(),
                "mean target": y.mean(),
            }
        )
    return pd.DataFrame(rows).set_index("model").round(2)
