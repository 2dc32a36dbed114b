"""cbkit: contextual bandits from binary classifiers, after Cortes (2018).

The workbook's notebooks call what is named here; `README.md` maps them to the paper.
"""

from importlib import import_module
from typing import Any

from cbkit.datasets import MultilabelDataset, load_dataset
from cbkit.oracles.classifiers import ClassifierOracle, StreamingOracle
from cbkit.oracles.context_transform import ContextTransform
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.posteriors.laplace import LaplaceOracle
from cbkit.oracles.posteriors.ridge import RidgeOracle
from cbkit.oracles.posteriors.streaming_laplace import StreamingLaplaceOracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle
from cbkit.policies.choosers.chooser import Choice
from cbkit.policies.choosers.exploration import ActiveExplore
from cbkit.policies.cold_start import MABFirst, Smoothing
from cbkit.policies.live.saving import load_policy, save_policy
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
from cbkit.policies.policy import Policy
from cbkit.policies.refits import Refit
from cbkit.policies.registry import make_policy, policy_names
from cbkit.policies.version import package_version
from cbkit.simulate import RunLog, simulate

_LOADED_WHEN_USED = {  # what most sessions do without, as it takes long to import
    "Experiment": "cbkit.experiments.experiment",
    "ForestOracle": "cbkit.oracles.forests",
    "TreeLeafOracle": "cbkit.oracles.forests",
    "run_experiment": "cbkit.experiments.run",
}

__all__ = [
    "ActiveAdaptiveGreedy",
    "ActiveExplore",
    "ActiveExplorer",
    "AlternatingEpochs",
    "Bagging",
    "BestArmInHindsight",
    "BestArmOnline",
    "BootstrappedTS",
    "BootstrappedUCB",
    "Choice",
    "ClassifierOracle",
    "ContextTransform",
    "ContextualAdaptiveGreedy",
    "ContextualAdaptiveGreedy2",
    "EpsilonGreedy",
    "Experiment",
    "ExploreThenExploit",
    "ForestOracle",
    "Greedy",
    "LaplaceOracle",
    "LinTS",
    "LinUCB",
    "LogisticOracle",
    "LogisticTS",
    "LogisticUCB",
    "MABFirst",
    "MultilabelDataset",
    "OnlineBootstrappedTS",
    "OnlineBootstrappedUCB",
    "Policy",
    "RandomArm",
    "Refit",
    "RegCB",
    "Resampling",
    "RidgeOracle",
    "RunLog",
    "SmoothedGreedy",
    "Smoothing",
    "SoftmaxExplorer",
    "SquareCB",
    "StreamingLaplaceOracle",
    "StreamingLogisticOracle",
    "StreamingOracle",
    "TreeLeafOracle",
    "__version__",
    "load_dataset",
    "load_policy",
    "make_policy",
    "policy_names",
    "run_experiment",
    "save_policy",
    "simulate",
]

__version__ = package_version()


def __getattr__(name: str) -> Any:
    """Return a public name whose module is loaded when it is first used."""
    if name not in _LOADED_WHEN_USED:
        raise AttributeError(f"module 'cbkit' has no attribute {name!r}")
    return getattr(import_module(_LOADED_WHEN_USED[name]), name)


def __dir__() -> list[str]:
    """Return all public names, those that are not loaded yet among them."""
    return sorted({*globals(), *__all__})
