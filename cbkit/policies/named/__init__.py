"""Policies by name, the paper's and others, each a short composition of its parts."""

from cbkit.policies.named.active import ActiveAdaptiveGreedy, ActiveExplorer
from cbkit.policies.named.adaptive_greedy import ContextualAdaptiveGreedy, ContextualAdaptiveGreedy2
from cbkit.policies.named.bootstrapped import BootstrappedTS, BootstrappedUCB
from cbkit.policies.named.greedy import EpsilonGreedy, Greedy, SoftmaxExplorer
from cbkit.policies.named.linear import LinTS, LinUCB
from cbkit.policies.named.logistic_posterior import LogisticTS, LogisticUCB
from cbkit.policies.named.online_bootstrapped import OnlineBootstrappedTS, OnlineBootstrappedUCB
from cbkit.policies.named.periods import AlternatingEpochs, ExploreThenExploit
from cbkit.policies.named.regression_oracle import Bagging, RegCB, SquareCB
from cbkit.policies.named.smoothed_greedy import SmoothedGreedy
from cbkit.policies.named.without_context import BestArmInHindsight, BestArmOnline, RandomArm

__all__ = [
    "ActiveAdaptiveGreedy",
    "ActiveExplorer",
    "AlternatingEpochs",
    "Bagging",
    "BestArmInHindsight",
    "BestArmOnline",
    "BootstrappedTS",
    "BootstrappedUCB",
    "ContextualAdaptiveGreedy",
    "ContextualAdaptiveGreedy2",
    "EpsilonGreedy",
    "ExploreThenExploit",
    "Greedy",
    "LinTS",
    "LinUCB",
    "LogisticTS",
    "LogisticUCB",
    "OnlineBootstrappedTS",
    "OnlineBootstrappedUCB",
    "RandomArm",
    "RegCB",
    "SmoothedGreedy",
    "SoftmaxExplorer",
    "SquareCB",
]
