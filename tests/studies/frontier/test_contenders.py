"""Claims about the changes to greedy with smoothing, each by itself."""

import numpy as np
import pytest

from cbkit import load_dataset, simulate
from cbkit.datasets import MultilabelDataset
from cbkit.studies.frontier.blend import BlendedGreedy
from cbkit.studies.frontier.contenders import (
    CONTENDERS,
    hit_rate,
    is_mostly_zeros,
    play,
    prepared,
    smoothed,
)
from cbkit.studies.frontier.hit_rate import HitRateGreedy


def after_many_failures(policy):
    """Arm 0 was rewarded in 2 rounds of 10, a hundred others never in four, the last is new."""
    X = np.random.default_rng(0).normal(size=(10, 3))
    for row in range(10):
        policy.record(X, row, 0, int(row >= 8))
    for arm in range(1, 101):
        for row in range(4):
            policy.record(X, row, arm, 0)
    return set(policy.select(X, np.random.default_rng(0)).tolist())


def test_new_arms_are_not_tried_on_after_hundreds_of_failures_as_fixed_smoothing_would():
    rng = np.random.default_rng(0)
    data = MultilabelDataset.from_arrays(rng.normal(size=(4, 3)), np.ones((4, 102)), name="many")
    assert after_many_failures(smoothed(data)) == {101}
    assert after_many_failures(hit_rate(data)) == {0}


def test_while_new_arms_pay_it_is_the_reference_to_the_digit():
    data = load_dataset("digits")  # ten arms, each right in a tenth of the rounds
    logs = [simulate(make(data), data, seed=0, n_rounds=400) for make in (smoothed, hit_rate)]
    assert logs[0].rounds["arm"].equals(logs[1].rounds["arm"])


def test_tries_are_the_rounds_of_arms_not_rewarded_before_and_hits_their_rewards():
    policy = HitRateGreedy(n_arms=3, oracle=None)
    for arm, reward in ((0, 0), (0, 1), (0, 0), (0, 1), (1, 0), (2, 1), (2, 1)):
        policy.record(np.zeros((1, 1)), 0, arm, reward)
    assert (policy.n_tries_, policy.n_hits_) == (4, 2)  # two of arm 0, one of 1, one of 2


@pytest.mark.parametrize(("informative", "expected"), [(True, 0.0), (False, 1.0)])
def test_the_base_rate_weighs_most_where_contexts_say_nothing(informative, expected):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 20))
    taste = X[:, :1] > 0 if informative else rng.random((800, 1)) < 0.5
    labels = np.concatenate([taste, np.zeros((800, 1))], axis=1)
    data = MultilabelDataset.from_arrays(X, labels, name="one arm of two")
    policy = BlendedGreedy(n_arms=2, oracle=smoothed(data).oracle)
    simulate(policy, data, seed=0)
    assert policy.base_weights()[1:].mean() == pytest.approx(expected, abs=0.35)


def test_only_contexts_that_are_mostly_zeros_are_prepared():
    assert not is_mostly_zeros(load_dataset("digits"))
    texts = np.eye(6)[:, [0, 1, 2, 3, 4, 5, 0, 1]]
    data = MultilabelDataset.from_arrays(texts, np.ones((6, 2)), name="texts")
    assert prepared(data).context_transform is not None
    assert prepared(load_dataset("digits")).context_transform is None
    for name, n_columns in (("C = 10", None), ("tf-idf, C = 10", 8)):
        policy = CONTENDERS[name](data)
        transform = policy.context_transform
        assert policy.oracle.C == 10 and CONTENDERS[name](load_dataset("digits")).oracle.C == 1
        assert (transform and transform.transformer.fit_transform(texts).shape[1]) == n_columns


def test_the_study_plays_all_contenders_on_the_same_rows_and_knows_their_cost(tmp_path):
    finals = play({"digits": 2}, folder=tmp_path, n_rounds=150)
    assert set(finals["policy"]) == set(CONTENDERS)
    assert finals.groupby("policy")["seed"].agg(list).map(tuple).nunique() == 1
    assert finals["seconds"].gt(0).all()
