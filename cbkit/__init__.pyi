"""The public names and where each is defined: read by `__init__.py`, editors, type checkers."""

from cbkit._base.version import __version__
from cbkit.datasets import MultilabelDataset, load_dataset
from cbkit.experiments.experiment import Experiment
from cbkit.experiments.run import run_experiment
from cbkit.oracles.classifiers import ClassifierOracle, StreamingOracle
from cbkit.oracles.context_transform import ContextTransform
from cbkit.oracles.forests import ForestOracle, TreeLeafOracle
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
from cbkit.simulate import RunLog, simulate

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
