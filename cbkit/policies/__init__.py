"""Policies: oracle x cold start x index x chooser, and those with a name."""

from cbkit.policies.block import Block, Decision
from cbkit.policies.choosers import (
    ActiveExplore,
    AlternatingPeriods,
    Choice,
    Chooser,
    Context,
    EpsilonMix,
    Explore,
    FixedArm,
    HighestValue,
    InverseGapWeighting,
    PercentileGreedy,
    RandomExplore,
    RandomThenBest,
    SoftmaxDraw,
    ThresholdGreedy,
    UniformArm,
)
from cbkit.policies.cold_start import ColdStart, ColdStartLike, MABFirst, Smoothing
from cbkit.policies.history import History
from cbkit.policies.indices import (
    Index,
    Mean,
    NormalBound,
    NormalDraw,
    RandomResample,
    SharedResample,
    UpperPercentile,
)
from cbkit.policies.live.saving import load_policy, save_policy
from cbkit.policies.named.active import ActiveAdaptiveGreedy, ActiveExplorer
from cbkit.policies.named.adaptive_greedy import ContextualAdaptiveGreedy, ContextualAdaptiveGreedy2
from cbkit.policies.named.bootstrapped import BootstrappedTS, BootstrappedUCB
from cbkit.policies.named.composition import OracleLike
from cbkit.policies.named.greedy import EpsilonGreedy, Greedy, SoftmaxExplorer
from cbkit.policies.named.linear import LinTS, LinUCB
from cbkit.policies.named.logistic_posterior import LogisticTS, LogisticUCB
from cbkit.policies.named.online_bootstrapped import OnlineBootstrappedTS, OnlineBootstrappedUCB
from cbkit.policies.named.periods import AlternatingEpochs, ExploreThenExploit
from cbkit.policies.named.regression_oracle import Bagging, RegCB, SquareCB
from cbkit.policies.named.smoothed_greedy import SmoothedGreedy
from cbkit.policies.named.without_context import BestArmInHindsight, BestArmOnline, RandomArm
from cbkit.policies.policy import Policy
from cbkit.policies.refits import Refit
from cbkit.policies.registry import make_policy, paper_hyperparameters, policy_names

__all__ = [
    "ActiveAdaptiveGreedy",
    "ActiveExplore",
    "ActiveExplorer",
    "AlternatingEpochs",
    "AlternatingPeriods",
    "Bagging",
    "BestArmInHindsight",
    "BestArmOnline",
    "Block",
    "BootstrappedTS",
    "BootstrappedUCB",
    "Choice",
    "Chooser",
    "ColdStart",
    "ColdStartLike",
    "Context",
    "ContextualAdaptiveGreedy",
    "ContextualAdaptiveGreedy2",
    "Decision",
    "EpsilonGreedy",
    "EpsilonMix",
    "Explore",
    "ExploreThenExploit",
    "FixedArm",
    "Greedy",
    "HighestValue",
    "History",
    "Index",
    "InverseGapWeighting",
    "LinTS",
    "LinUCB",
    "LogisticTS",
    "LogisticUCB",
    "MABFirst",
    "Mean",
    "NormalBound",
    "NormalDraw",
    "OnlineBootstrappedTS",
    "OnlineBootstrappedUCB",
    "OracleLike",
    "PercentileGreedy",
    "Policy",
    "RandomArm",
    "RandomExplore",
    "RandomResample",
    "RandomThenBest",
    "Refit",
    "RegCB",
    "SharedResample",
    "SmoothedGreedy",
    "Smoothing",
    "SoftmaxDraw",
    "SoftmaxExplorer",
    "SquareCB",
    "ThresholdGreedy",
    "UniformArm",
    "UpperPercentile",
    "load_policy",
    "make_policy",
    "paper_hyperparameters",
    "policy_names",
    "save_policy",
]
