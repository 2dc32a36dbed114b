"""Oracles that know how sure they are: a Gaussian posterior of each arm's coefficients."""

from cbkit.oracles.posteriors.gaussian import GaussianPosterior, scores_with_spread
from cbkit.oracles.posteriors.laplace import LaplaceOracle
from cbkit.oracles.posteriors.ridge import RidgeOracle
from cbkit.oracles.posteriors.streaming_laplace import StreamingLaplaceOracle
from cbkit.oracles.posteriors.windowed import WindowedPosterior

__all__ = [
    "GaussianPosterior",
    "LaplaceOracle",
    "RidgeOracle",
    "StreamingLaplaceOracle",
    "WindowedPosterior",
    "scores_with_spread",
]
