"""The paper's policies by name, each a short composition of oracle, cold start, index, chooser."""

from cbkit.policies.named.active import ActiveAdaptiveGreedy, ActiveExplorer
from cbkit.policies.named.adaptive_greedy import ContextualAdaptiveGreedy, ContextualAdaptiveGreedy2
from cbkit.policies.named.bootstrapped import BootstrappedTS, BootstrappedUCB
from cbkit.policies.named.greedy import EpsilonGreedy, Greedy, SoftmaxExplorer
from cbkit.policies.named.online_bootstrapped import OnlineBootstrappedTS, OnlineBootstrappedUCB
from cbkit.policies.named.periods import AlternatingEpochs, ExploreThenExploit
from cbkit.policies.named.without_context import BestArmInHindsight, BestArmOnline, RandomArm

__all__ = [
    "ActiveAdaptiveGreedy",
    "ActiveExplorer",
    "AlternatingEpochs",
    "BestArmInHindsight",
    "BestArmOnline",
    "BootstrappedTS",
    "BootstrappedUCB",
    "ContextualAdaptiveGreedy",
    "ContextualAdaptiveGreedy2",
    "EpsilonGreedy",
    "ExploreThenExploit",
    "Greedy",
    "OnlineBootstrappedTS",
    "OnlineBootstrappedUCB",
    "RandomArm",
    "SoftmaxExplorer",
]
