"""cbkit: contextual bandits from binary classifiers, after Cortes (2018).

The workbook's notebooks call what is named here; `README.md` maps them to the paper.
"""

from cbkit.datasets import MultilabelDataset, load_dataset
from cbkit.oracles.forests import ForestOracle, TreeLeafOracle
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.oracle import ClassifierOracle, StreamingOracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle
from cbkit.policies.cold_start import MABFirst, Smoothing
from cbkit.policies.exploration import ActiveExplore
from cbkit.policies.named.active import ActiveAdaptiveGreedy, ActiveExplorer
from cbkit.policies.named.adaptive_greedy import ContextualAdaptiveGreedy, ContextualAdaptiveGreedy2
from cbkit.policies.named.bootstrapped import BootstrappedTS, BootstrappedUCB
from cbkit.policies.named.greedy import EpsilonGreedy, Greedy, SoftmaxExplorer
from cbkit.policies.named.online_bootstrapped import OnlineBootstrappedTS, OnlineBootstrappedUCB
from cbkit.policies.named.periods import AlternatingEpochs, ExploreThenExploit
from cbkit.policies.named.without_context import BestArmInHindsight, BestArmOnline, RandomArm
from cbkit.policies.policy import Policy
from cbkit.policies.registry import make_policy, policy_names
from cbkit.simulate import RunLog, simulate

__all__ = [
    "ActiveAdaptiveGreedy",
    "ActiveExplore",
    "ActiveExplorer",
    "AlternatingEpochs",
    "BestArmInHindsight",
    "BestArmOnline",
    "BootstrappedTS",
    "BootstrappedUCB",
    "ClassifierOracle",
    "ContextualAdaptiveGreedy",
    "ContextualAdaptiveGreedy2",
    "EpsilonGreedy",
    "ExploreThenExploit",
    "ForestOracle",
    "Greedy",
    "LogisticOracle",
    "MABFirst",
    "MultilabelDataset",
    "OnlineBootstrappedTS",
    "OnlineBootstrappedUCB",
    "Policy",
    "RandomArm",
    "Resampling",
    "RunLog",
    "Smoothing",
    "SoftmaxExplorer",
    "StreamingLogisticOracle",
    "StreamingOracle",
    "TreeLeafOracle",
    "load_dataset",
    "make_policy",
    "policy_names",
    "simulate",
]
