"""Choosers: from one number per arm to an arm, and where they look when they explore."""

from cbkit.policies.choosers.adaptive import PercentileGreedy, ThresholdGreedy
from cbkit.policies.choosers.chooser import (
    AlternatingPeriods,
    Choice,
    Chooser,
    EpsilonMix,
    FixedArm,
    HighestValue,
    RandomThenBest,
    SoftmaxDraw,
    UniformArm,
)
from cbkit.policies.choosers.exploration import ActiveExplore, Context, Explore, RandomExplore
from cbkit.policies.choosers.inverse_gap import InverseGapWeighting
from cbkit.policies.choosers.propensities import ArmValues

__all__ = [
    "ActiveExplore",
    "AlternatingPeriods",
    "ArmValues",
    "Choice",
    "Chooser",
    "Context",
    "EpsilonMix",
    "Explore",
    "FixedArm",
    "HighestValue",
    "InverseGapWeighting",
    "PercentileGreedy",
    "RandomExplore",
    "RandomThenBest",
    "SoftmaxDraw",
    "ThresholdGreedy",
    "UniformArm",
]
