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
    PercentileGreedy,
    RandomExplore,
    RandomThenBest,
    SoftmaxDraw,
    ThresholdGreedy,
    UniformArm,
)
from cbkit.policies.cold_start import ColdStart, ColdStartLike, MABFirst, Smoothing
from cbkit.policies.history import History
from cbkit.policies.indices import Index, Mean, RandomResample, UpperPercentile
from cbkit.policies.live.saving import load_policy, save_policy
from cbkit.policies.named.active import ActiveAdaptiveGreedy, ActiveExplorer
from cbkit.policies.named.adaptive_greedy import ContextualAdaptiveGreedy, ContextualAdaptiveGreedy2
from cbkit.policies.named.bootstrapped import BootstrappedTS, BootstrappedUCB
from cbkit.policies.named.composition import OracleLike
from cbkit.policies.named.greedy import EpsilonGreedy, Greedy, SoftmaxExplorer
from cbkit.policies.named.online_bootstrapped import OnlineBootstrappedTS, OnlineBootstrappedUCB
from cbkit.policies.named.periods import AlternatingEpochs, ExploreThenExploit
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
    "MABFirst",
    "Mean",
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
    "Smoothing",
    "SoftmaxDraw",
    "SoftmaxExplorer",
    "ThresholdGreedy",
    "UniformArm",
    "UpperPercentile",
    "load_policy",
    "make_policy",
    "paper_hyperparameters",
    "policy_names",
    "save_policy",
]
