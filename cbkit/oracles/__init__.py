"""Reward oracles: binary classifiers, one per arm and resample.

`cbkit.oracles.forests`, which takes long to import, is left out here.
"""

from cbkit.oracles.classifiers import ClassifierOracle, StreamingOracle
from cbkit.oracles.context_transform import ContextTransform
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.oracle import Oracle, as_oracle
from cbkit.oracles.posteriors.laplace import LaplaceOracle
from cbkit.oracles.posteriors.ridge import RidgeOracle
from cbkit.oracles.posteriors.streaming_laplace import StreamingLaplaceOracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle

__all__ = [
    "ClassifierOracle",
    "ContextTransform",
    "LaplaceOracle",
    "LogisticOracle",
    "Oracle",
    "Resampling",
    "RidgeOracle",
    "StreamingLaplaceOracle",
    "StreamingLogisticOracle",
    "StreamingOracle",
    "as_oracle",
]
