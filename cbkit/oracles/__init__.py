"""Reward oracles: binary classifiers, one per arm and resample.

`cbkit.oracles.forests`, which takes long to import, is left out here.
"""

from cbkit.oracles.classifiers import ClassifierOracle, StreamingOracle
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.oracle import Oracle, as_oracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle

__all__ = [
    "ClassifierOracle",
    "LogisticOracle",
    "Oracle",
    "Resampling",
    "StreamingLogisticOracle",
    "StreamingOracle",
    "as_oracle",
]
