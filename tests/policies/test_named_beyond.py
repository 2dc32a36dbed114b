"""Claims about the named policies that the paper lacks."""

import numpy as np
import pytest
from scipy.stats import norm

from cbkit import (
    Bagging,
    LinUCB,
    LogisticTS,
    LogisticUCB,
    MultilabelDataset,
    RegCB,
    Smoothing,
    SquareCB,
    simulate,
)


def planted(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_rows, 4))
    return MultilabelDataset.from_arrays(features, (features[:, :3] > 0.5).astype(int))


DATA = planted()


def test_square_cb_logs_its_exact_probabilities():
    policy = SquareCB(3)
    log = simulate(policy, DATA, seed=0)
    assert log.rounds["propensity"].between(0, 1, inclusive="right").all()
    assert log.rounds["propensity"].nunique() > 100


@pytest.mark.statistical
def test_square_cbs_probabilities_weigh_rewards_to_those_of_uniform_choices():
    # E[reward / propensity] over rounds is the sum of the arms' mean rewards.
    terms = []
    for seed in range(8):
        rounds = simulate(SquareCB(3, scale=1.0), DATA, seed=seed).rounds
        terms.append((rounds["reward"] / rounds["propensity"]).to_numpy())
    terms = np.concatenate(terms)
    expected = DATA.labels.toarray().mean(axis=0).sum()
    assert abs(terms.mean() - expected) < 4 * terms.std() / np.sqrt(len(terms))


def bounds(policy):
    simulate(policy, DATA, seed=0, n_rounds=250)
    return policy.prepare(DATA.features).indices


@pytest.mark.parametrize("streaming", [True, False])
def test_a_bound_of_50_percent_is_the_mean_and_higher_ones_are_above_it(streaming):
    policy = LogisticUCB(3, percentile=50, streaming=streaming, cold_start=Smoothing(a=1, b=2))
    simulate(policy, DATA, seed=0, n_rounds=250)
    block = policy.prepare(DATA.features)
    np.testing.assert_allclose(block.indices, block.scores[:, :, 0], atol=1e-9)
    policy.index.width = norm.ppf(0.9)
    assert (policy.prepare(DATA.features).indices > block.indices).all()


def test_reg_cb_is_the_bound_whose_parabola_has_risen_by_its_excess_loss():
    # half a squared deviation is the Gaussian's loss: 1.28 of them for the 90th percentile
    excess_loss = 0.5 * norm.ppf(0.9) ** 2
    one = bounds(RegCB(3, excess_loss=excess_loss))
    np.testing.assert_array_equal(one, bounds(LogisticUCB(3, percentile=90)))


def test_bagging_plays_as_one_of_its_greedy_policies():
    policy = Bagging(3, n_resamples=4)
    simulate(policy, DATA, seed=0)
    block = policy.prepare(DATA.features[:50])
    assert block.scores.shape == (50, 3, 4)
    greedy = block.scores.argmax(axis=1)  # (n_rounds, n_resamples)
    rng = np.random.default_rng(0)
    arms = [block.warm[greedy[row]].tolist() for row in range(50)]
    assert all(policy.choose(block, row, rng).arm in arms[row] for row in range(50))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LogisticUCB(3, percentile=20), r"in \[50, 100\), got 20; write 80"),
        (lambda: LogisticUCB(3, percentile=100), r"in \[50, 100\), got 100; write 80"),
        (lambda: LogisticTS(3, width=-1), "at least 0 standard deviations"),
        (lambda: LinUCB(3, alpha=0), "alpha must be greater than 0"),
        (lambda: RegCB(3, excess_loss=-1), r"at least 0, got -1; write 0\.5"),
        (lambda: SquareCB(3, scale=0), "scale must be greater than 0"),
    ],
)
def test_what_makes_no_bound_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
