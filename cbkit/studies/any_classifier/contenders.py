"""Classifiers by name, each under three policies, with refits that slow ones can afford."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from cbkit.datasets import load_dataset
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.experiment import Experiment
from cbkit.oracles.forests import ForestOracle, TreeLeafOracle
from cbkit.policies.policy import Policy
from cbkit.policies.refits import EVERY_BLOCK, Refit
from cbkit.policies.registry import make_policy

ORACLES = (
    "logistic regression",
    "XGBoost",
    "random forest",
    "forest, leaf counts",
    "single tree",
    "naive Bayes",
    "calibrated linear SVM",
)
EVERY = "logistic, refit in every block"
RULES = ("Greedy", "BootstrappedUCB", "ContextualAdaptiveGreedy")
# Every block for short histories, then whenever one has grown by a fifth, whatever the oracle.
RARELY = Refit.geometric(growth=1.2, always_below=30)
# Hands an arm to its classifier at once, so that classifiers make a difference.
SMOOTHING = {"Smoothing": {"a": 1, "b": 2}}
N_TREES = 20
N_RESAMPLES = 5


def classifier_of(name: str, dataset: MultilabelDataset) -> Any:
    """Return what an oracle of `ORACLES` fits to each arm, unfitted.

    Examples
    --------
    >>> from cbkit import load_dataset
    >>> classifier_of("naive Bayes", load_dataset("digits"))
    GaussianNB()
    """
    if name == "XGBoost":
        return XGBClassifier(tree_method="hist", n_jobs=1, n_estimators=N_TREES)
    if name == "random forest":
        return RandomForestClassifier(N_TREES)
    if name == "forest, leaf counts":
        return RandomForestClassifier(N_TREES, min_samples_leaf=5)
    if name == "single tree":
        return DecisionTreeClassifier(min_samples_leaf=5)
    if name == "naive Bayes":
        return BernoulliNB() if sparse.issparse(dataset.features) else GaussianNB()
    if name == "calibrated linear SVM":
        return make_pipeline(MaxAbsScaler(), CalibratedClassifierCV(LinearSVC(), cv=3))
    return "logistic"


def make_contender(dataset: MultilabelDataset, oracle: str, rule: str) -> Policy:
    """Return a policy of `RULES` with an oracle of `ORACLES`.

    Trees of a forest are its resamples; leaf counts give bounds of their own, which `Greedy`
    plays.
    """
    learns = classifier_of(oracle, dataset)
    resamples = {"n_resamples": N_RESAMPLES} if rule == "BootstrappedUCB" else {}
    if oracle == "forest, leaf counts":
        learns = TreeLeafOracle(tree=learns, percentile=80 if resamples else 50)
        rule, resamples = ("Greedy" if resamples else rule), {}
    elif oracle == "random forest" and resamples:
        learns = ForestOracle(forest=learns)
    policy = make_policy(rule, dataset, oracle=learns, cold_start=SMOOTHING, **resamples)
    policy.refits = EVERY_BLOCK if oracle == EVERY else RARELY
    return policy


def any_classifier_experiment(
    dataset: str, *, folder: str, n_replicates: int, n_rounds: int, seed: int
) -> Experiment:
    """Return the experiment that plays `contenders` on a data set, on at most `n_rounds` rows.

    Parameters
    ----------
    dataset : str
        Name for `load_dataset`.
    folder : str
        Where results go; each data set has a folder of its own in it.
    n_replicates, n_rounds, seed : int
        As for `Experiment`.
    """
    return Experiment(
        datasets=[dataset],
        policies=contenders(),
        folder=f"{folder}/{dataset}",
        n_replicates=n_replicates,
        n_rounds=min(n_rounds, load_dataset(dataset).n_rows),
        seed=seed,
    )


def contenders() -> dict[str, dict[str, Any]]:
    """Return all pairs of an oracle and a policy, and the best fixed arm, as an experiment's specs.

    Examples
    --------
    >>> list(contenders())[:2]
    ['Greedy, logistic regression', 'Greedy, XGBoost']
    """
    specs: dict[str, dict[str, Any]] = {}
    for rule in RULES:
        for oracle in (*ORACLES, EVERY):
            labels = {"oracle": oracle, "rule": rule}
            specs[f"{rule}, {oracle}"] = {"policy": make_contender, **labels, "labels": labels}
    fixed = {"oracle": "none", "rule": "BestArmInHindsight"}
    specs["BestArmInHindsight"] = {"policy": "BestArmInHindsight", "labels": fixed}
    return specs
