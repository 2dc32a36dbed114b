"""cbkit: contextual bandits from binary classifiers, after Cortes (2018).

The workbook's notebooks call what is named here; `README.md` maps them to the paper.
"""

from cbkit.algorithms import (
    ActiveAdaptiveGreedy,
    ActiveExplorer,
    BootstrappedTS,
    BootstrappedUCB,
    ContextualAdaptiveGreedy,
    ContextualAdaptiveGreedy2,
    OnlineBootstrappedTS,
    OnlineBootstrappedUCB,
)
from cbkit.baselines import (
    AlternatingEpochs,
    BestArmInHindsight,
    BestArmOnline,
    EpsilonGreedy,
    ExploreThenExploit,
    Greedy,
    RandomArm,
    SoftmaxExplorer,
)
from cbkit.bootstrap import Resampling
from cbkit.coldstart import MABFirst, Smoothing
from cbkit.datasets import MultilabelDataset, load_dataset
from cbkit.exploration import ActiveExplore
from cbkit.forests import ForestOracle, TreeLeafOracle
from cbkit.logistic import LogisticOracle
from cbkit.oracles import ClassifierOracle, StreamingOracle
from cbkit.policies import Policy
from cbkit.registry import make_policy, policy_names
from cbkit.simulate import RunLog, simulate
from cbkit.streaming import StreamingLogisticOracle

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
