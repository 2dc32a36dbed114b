"""Every bad value is refused by an error that says what, what came, and what to write instead."""

import numpy as np
import pytest
from scipy import sparse

from cbkit import (
    ActiveExplorer,
    AlternatingEpochs,
    BestArmInHindsight,
    BootstrappedUCB,
    ContextualAdaptiveGreedy,
    ContextualAdaptiveGreedy2,
    EpsilonGreedy,
    ExploreThenExploit,
    Greedy,
    MABFirst,
    MultilabelDataset,
    Smoothing,
    SoftmaxExplorer,
    StreamingLogisticOracle,
    make_policy,
    simulate,
)

X = np.ones((3, 2))
LABELS = np.array([[1, 0], [0, 1], [1, 1]])
DATA = MultilabelDataset.from_arrays(X, LABELS)
RNG = np.random.default_rng(0)
PER_ARM = MABFirst(a=[1, 2, 3], b=1)


def update(X=((1.0, 1.0),), arms=(0,), rewards=(1,), rng=RNG):
    policy = Greedy(3)
    policy.update(np.eye(2), [0, 1], [0, 1], RNG)
    policy.update(X, arms, rewards, rng)


def select(X, rng=RNG):
    Greedy(3).select(X, rng)


# what is refused, its arguments, and the words for: what was wrong, what came, what to write
POLICIES = [
    (BootstrappedUCB, {"percentile": 0.8}, "percentile must be in [0, 100]|0.8|did you mean 80?"),
    (BootstrappedUCB, {"percentile": 180}, "percentile|180|in [0, 100]"),
    (BootstrappedUCB, {"percentile": -5}, "percentile|-5|in [0, 100]"),
    (BootstrappedUCB, {"percentile": np.nan}, "percentile|nan|a finite number"),
    (BootstrappedUCB, {"percentile": "80"}, "percentile|'80'|a finite number"),
    (ContextualAdaptiveGreedy2, {"percentile": 0.3}, "percentile|0.3|did you mean 30?"),
    (EpsilonGreedy, {"explore_probability": 80}, "explore_probability|80|did you mean 0.8?"),
    (ActiveExplorer, {"explore_probability": 15}, "explore_probability|15|did you mean 0.15?"),
    (EpsilonGreedy, {"explore_probability": -0.1}, "explore_probability|-0.1|in [0, 1]"),
    (EpsilonGreedy, {"explore_probability": np.inf}, "explore_probability|inf|a finite number"),
    (ContextualAdaptiveGreedy, {"threshold": 30}, "threshold must be in|30|did you mean 0.3?"),
    (EpsilonGreedy, {"decay": 99.97}, "decay must be in (0, 1]|99.97|did you mean 0.9997?"),
    (EpsilonGreedy, {"decay": 0}, "decay must be in (0, 1]|got 0|1 is no decay"),
    (BootstrappedUCB, {"n_resamples": 0}, "n_resamples|got 0|at least 1"),
    (BootstrappedUCB, {"n_resamples": 10.0}, "n_resamples|10.0|write 10"),
    (BootstrappedUCB, {"weights": "gama"}, "kind of resample weights|'gama'|gamma(1,1)"),
    (BootstrappedUCB, {"kept": True}, "cannot be kept|multinomial|write kept=False"),
    (ContextualAdaptiveGreedy2, {"window": 0}, "window|got 0|at least 1"),
    (ExploreThenExploit, {"turning_point": -1}, "turning_point|-1|at least 1"),
    (AlternatingEpochs, {"explore_rounds": 1.5, "exploit_rounds": 1}, "explore_rounds|1.5|whole"),
    (SoftmaxExplorer, {"multiplier": 0}, "multiplier|got 0|greater than 0"),
    (SoftmaxExplorer, {"inflation": 0.9}, "inflation|0.9|at least 1"),
    (ActiveExplorer, {"explore": "wieghted"}, "criterion|'wieghted'|weighted, min or max"),
    (BestArmInHindsight, {"arm": 3}, "arms must be|got 3|in [0, 2]"),
    (Greedy, {"oracle": "xgboost"}, "unknown oracle|xgboost|Write one of: logistic"),
    (Greedy, {"cold_start": "mab"}, "cold_start|'mab'|MABFirst(...)"),
    (Greedy, {"cold_start": MABFirst(a=[1, 2], b=1)}, "2 values of a|for 3 arms|one value per arm"),
]
CALLS = {
    "no choice": (lambda: Greedy(1), "n_arms|got 1|at least 2"),
    "whole float": (lambda: Greedy(3.0), "n_arms|got 3.0|write 3"),
    "negative prior": (lambda: MABFirst(a=-1, b=1), "a must be|got -1|greater than 0"),
    "infinite prior": (lambda: MABFirst(a=1, b=np.inf), "b must be|got inf|greater than 0"),
    "prior of text": (lambda: MABFirst(a="5/k", b=1), "a must be|got '5/k'|one number or one per"),
    "ragged prior": (lambda: MABFirst(a=[1, [2]], b=1), "a must be|[1, [2]]|one number or one per"),
    "smoothing above 1": (lambda: Smoothing(a=2, b=1), "smoothing|a=2.0 and b=1.0|needs a < b"),
    "two new priors": (
        lambda: Greedy(3, cold_start=PER_ARM).add_arm(a=[1, 2]),
        "a must be|[1, 2]|a finite number",
    ),
    "alpha of text": (lambda: StreamingLogisticOracle(alpha="1"), "alpha|got '1'|a finite number"),
    "alpha": (lambda: StreamingLogisticOracle(alpha=0), "alpha|got 0|greater than 0"),
    "no rows": (
        lambda: MultilabelDataset.from_arrays(np.ones((0, 2)), np.ones((0, 2))),
        "features|no rows|at least one observation",
    ),
    "one label": (
        lambda: MultilabelDataset.from_arrays(X, LABELS[:, :1]),
        "labels|got 1|at least 2 columns",
    ),
    "labels of 0.5": (
        lambda: MultilabelDataset.from_arrays(X, LABELS / 2),
        "labels must be|got 0.5 in row 0, column 0|0 or 1",
    ),
    "missing label": (
        lambda: MultilabelDataset.from_arrays(X, np.where(LABELS, np.nan, 0)),
        "labels must be|got nan in row 0, column 0|0 or 1",
    ),
    "missing feature": (
        lambda: MultilabelDataset.from_arrays(X * np.nan, LABELS),
        "features must be finite|nan in row 0, column 0|SimpleImputer",
    ),
    "no contexts": (lambda: select(np.ones((0, 2))), "select|without contexts|at least one row"),
    "no feature": (lambda: select(np.ones((1, 0))), "contexts|no columns|at least one"),
    "one context": (lambda: select([1.0, 2.0]), "contexts|shape (2,)|write x.reshape(1, -1)"),
    "a seed": (lambda: select([[1.0]], rng=7), "rng must be|got 7|np.random.default_rng(seed)"),
    "no generator": (lambda: update(rng=None), "rng must be|got None|np.random.default_rng(seed)"),
    "no round": (lambda: update(np.ones((0, 2)), [], []), "update|empty block|at least one round"),
    "nan": (lambda: update([[1.0, np.nan]]), "contexts|nan|impute missing values"),
    "infinite": (
        lambda: update(sparse.csr_array([[np.inf, 1]])),
        "contexts|inf|impute missing values",
    ),
    "text": (lambda: update([["a", "b"]]), "contexts must be numbers|<U1|scikit-learn transformer"),
    "ragged": (lambda: update([[1, 2], [3]]), "contexts|different lengths|same columns"),
    "width": (lambda: update([[1, 2, 3]]), "contexts so far had 2|got 3|the same columns"),
    "kind": (
        lambda: update(sparse.csr_array(X[:1])),
        "were dense|csr_array|give every block dense",
    ),
    "lengths": (lambda: update(arms=[0, 1]), "as many contexts|got 1, 2 and 1|one of each"),
    "reward of 0.5": (lambda: update(rewards=[0.5]), "rewards must be|got 0.5|threshold or draw"),
    "reward of -1": (lambda: update(rewards=[-1]), "rewards must be|got -1|0 or 1"),
    "missing reward": (lambda: update(rewards=[np.nan]), "rewards must be|got nan|0 or 1"),
    "no reward": (lambda: update(rewards=[None]), "rewards must be|[None]|write numbers"),
    "arm above": (lambda: update(arms=[3]), "arms must be in [0, 2]|got 3|count them from 0"),
    "arm below": (lambda: update(arms=[-1]), "arms must be in [0, 2]|got -1|count them from 0"),
    "arm of 1.0": (lambda: update(arms=[1.0]), "arms must be|[1.0]|one integer per round"),
    "arm that is none": (lambda: Greedy(3).drop_arm(3), "arms must be|got 3|in [0, 2]"),
    "other arms": (lambda: simulate(Greedy(3), DATA, seed=0), "3 arms|2|n_arms=dataset.n_arms"),
    "too many rounds": (
        lambda: simulate(Greedy(2), DATA, seed=0, n_rounds=4),
        "n_rounds|got 4|at most the 3 rows",
    ),
    "a name": (lambda: simulate("Greedy", DATA, seed=0), "must be a Policy|'Greedy'|make_policy("),
    "an array": (lambda: simulate(Greedy(2), X, seed=0), "dataset|ndarray|from_arrays(X, labels)"),
    "seed of -1": (lambda: simulate(Greedy(2), DATA, seed=-1), "seed|-1|at least 0"),
    "misspelt": (lambda: make_policy("Gredy", DATA), "unknown policy|'Gredy'|mean 'Greedy'?"),
}


def assert_says(caught, words):
    for part in words.split("|"):
        assert part in str(caught.value)


@pytest.mark.parametrize(("make", "parameters", "words"), POLICIES)
def test_bad_parameters_are_refused_with_value_and_remedy(make, parameters, words):
    with pytest.raises(ValueError) as caught:
        make(3, **parameters)
    assert_says(caught, words)


@pytest.mark.parametrize(("call", "words"), CALLS.values(), ids=CALLS)
def test_bad_values_are_refused_with_value_and_remedy(call, words):
    with pytest.raises(ValueError) as caught:
        call()
    assert_says(caught, words)


def test_a_refused_update_leaves_the_policy_as_it_was():
    policy = Greedy(3, cold_start=PER_ARM)
    policy.update(np.eye(2), [0, 1], [0, 1], RNG)
    before = policy.history_.positives.tolist(), policy.history_.negatives.tolist()
    for X, arms, rewards in [
        ([[1, np.nan]], [0], [1]),
        (np.eye(2), [0, 3], [1, 1]),
        (np.eye(2), [0, 1], [1, 0.5]),
        (sparse.csr_array(np.eye(2)), [0, 1], [1, 1]),
    ]:
        with pytest.raises(ValueError):
            policy.update(X, arms, rewards, RNG)
    assert before == (policy.history_.positives.tolist(), policy.history_.negatives.tolist())
