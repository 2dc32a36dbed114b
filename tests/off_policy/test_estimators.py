"""Estimators: on paper, by enumeration of all logs, and against formulas written a second time."""

from itertools import product

import numpy as np
import pytest
from six_rounds import six_evidence, six_rounds

from cbkit.off_policy import (
    IPS,
    SNIPS,
    ClippedIPS,
    DirectMethod,
    DoublyRobust,
    Evidence,
    LoggedRounds,
    MeanRewards,
    NormalInterval,
    Replay,
    SelfNormalizedDR,
    ShrunkDR,
    SwitchDR,
    cross_fitted,
    gather,
)

# Weights 2, 2, 2, 1/2, 4, 2 (sum 12.5); rewards 1, 0, 1, 0, 1, 0;
# r - q is 1/2, -1/4, 1/4, -1/2, 3/4, -3/4; v is .5, .375, .5, .4375, .25, .55 (sum 2.6125).
BY_HAND = [
    (IPS(), (2 + 2 + 4) / 6),
    (ClippedIPS(largest=2), (2 + 2 + 2) / 6),
    (SNIPS(), 8 / 12.5),
    (DirectMethod(), 2.6125 / 6),
    (DoublyRobust(), (2.6125 + 1 - 0.5 + 0.5 - 0.25 + 3 - 1.5) / 6),
    (SelfNormalizedDR(), 2.6125 / 6 + 2.25 / 12.5),
    (SwitchDR(largest=3), (2.6125 + 2.25 - 3) / 6),
    (ShrunkDR(largest=2), (2.6125 + 0.5 - 0.25 + 0.25 - 4 / 17 + 0.6 - 0.75) / 6),
]


@pytest.mark.parametrize(("estimator", "value"), BY_HAND, ids=lambda x: type(x).__name__)
def test_six_rounds_give_what_paper_and_pencil_give(estimator, value):
    assert estimator.parts(six_evidence()).value == pytest.approx(value, abs=1e-14)


def test_replay_is_the_mean_of_rounds_played_alike():
    """Arm 0 was logged in rounds 0 and 3, with rewards 1 and 0."""
    log = six_rounds(propensities=[1 / 3] * 6)
    evidence = gather(log, np.tile([1.0, 0.0, 0.0], (6, 1)))
    assert Replay(rng=np.random.default_rng(0)).parts(evidence).value == 0.5


@pytest.mark.statistical
def test_replay_accepts_in_proportion_to_the_weights():
    evidence = six_evidence()
    rng = np.random.default_rng(0)
    accepted = np.mean([Replay(rng=rng).parts(evidence).denominator for _ in range(4000)], axis=0)
    expected = evidence.weights / 4
    assert (np.abs(accepted - expected) <= 4 * np.sqrt(expected * (1 - expected) / 4000)).all()


def test_replay_accepts_the_same_rounds_each_time():
    evidence = random_evidence(0)
    replay = Replay(rng=np.random.default_rng(0))
    assert (replay.parts(evidence).denominator == replay.parts(evidence).denominator).all()
    low, high = NormalInterval().bounds(replay, evidence)
    assert (low + high) / 2 == pytest.approx(replay.parts(evidence).value)


def random_evidence(seed: int, n: int = 300) -> Evidence:
    rng = np.random.default_rng(seed)
    return Evidence(
        rewards=rng.integers(2, size=n).astype(float),
        weights=rng.exponential(size=n) * rng.integers(2, size=n) * 3,
        predicted=rng.random(n),
        expected=rng.random(n),
    )


def again(name: str, e: Evidence) -> float:
    """Every formula once more, by loops over rounds."""
    rounds = list(zip(e.rewards, e.weights, e.predicted, e.expected, strict=True))
    n, total, m = len(rounds), sum(w for _, w, _, _ in rounds), len(rounds) ** 0.5
    model = sum(v for *_, v in rounds) / n
    return {
        "IPS": sum(w * r for r, w, _, _ in rounds) / n,
        "ClippedIPS": sum(min(w, m) * r for r, w, _, _ in rounds) / n,
        "SNIPS": sum(w * r for r, w, _, _ in rounds) / total,
        "DirectMethod": model,
        "DoublyRobust": model + sum(w * (r - q) for r, w, q, _ in rounds) / n,
        "SelfNormalizedDR": model + sum(w * (r - q) for r, w, q, _ in rounds) / total,
        "SwitchDR": model + sum(w * (r - q) for r, w, q, _ in rounds if w <= m) / n,
        "ShrunkDR": model + sum(n * w / (w * w + n) * (r - q) for r, w, q, _ in rounds) / n,
    }[name]


@pytest.mark.parametrize(
    "estimator",
    [
        IPS(),
        ClippedIPS(),
        SNIPS(),
        DirectMethod(),
        DoublyRobust(),
        SelfNormalizedDR(),
        SwitchDR(),
        ShrunkDR(),
    ],
    ids=lambda x: type(x).__name__,
)
@pytest.mark.parametrize("seed", range(5))
def test_formulas_agree_with_the_same_formulas_written_again(estimator, seed):
    evidence = random_evidence(seed, n=17 if seed else 300)
    value = again(type(estimator).__name__, evidence)
    assert estimator.parts(evidence).value == pytest.approx(value, abs=1e-12)
    assert estimator.parts(evidence).contributions().mean() == pytest.approx(value, abs=1e-12)


# A problem of 2 contexts, 3 arms: all logs of 2 rounds, whose second propensities depend on what
# the first round brought.
SHARES = np.array([0.3, 0.7])
REWARDS = np.array([[0.9, 0.2, 0.5], [0.1, 0.6, 0.3]])
TARGETS = np.array([[0.2, 0.5, 0.3], [0.0, 0.1, 0.9]])
FIRST = np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]])
WRONG_MODEL = np.array([[0.1, 0.7, 0.4], [0.8, 0.3, 0.2]])


def second(arm: int, reward: int) -> np.ndarray:
    """Propensities of a policy that has learned from the first round."""
    favourite = 0.6 if reward else 0.2
    other = (1 - favourite) / 2
    return np.where(np.arange(3) == arm, favourite, other)


@pytest.mark.parametrize("estimator", [IPS(), DoublyRobust()], ids=["IPS", "DoublyRobust"])
def test_unbiased_over_all_logs_of_a_policy_that_learns(estimator):
    truth = float(SHARES @ (TARGETS * REWARDS).sum(axis=1))
    rounds = list(product(range(2), range(3), range(2)))
    expectation, mass = 0.0, 0.0
    for (x1, a1, r1), (x2, a2, r2) in product(rounds, rounds):
        p1, p2 = FIRST[x1, a1], second(a1, r1)[a2]
        chance = 1.0
        for x, a, r, p in ((x1, a1, r1, p1), (x2, a2, r2, p2)):
            chance *= SHARES[x] * p * (REWARDS[x, a] if r else 1 - REWARDS[x, a])
        log = LoggedRounds(
            X=[[x1], [x2]], arms=[a1, a2], rewards=[r1, r2], propensities=[p1, p2], n_arms=3
        )
        contexts = np.array([x1, x2])
        evidence = gather(log, TARGETS[contexts], lambda rows, at=contexts: WRONG_MODEL[at[rows]])
        expectation += chance * estimator.parts(evidence).value
        mass += chance
    assert mass == pytest.approx(1.0, abs=1e-12)
    assert expectation == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize(
    ("learns", "cross_fits", "bias"),
    [(False, True, 0.0), (True, True, -0.004375), (True, False, 0.0)],
    ids=["fixed policy", "policy that learns", "model of the past"],
)
def test_a_fitted_model_leaves_a_bias_only_where_later_arms_tell_of_the_reward(
    learns, cross_fits, bias
):
    """All 256 logs of 4 rounds of 2 arms, by folds of 2 rounds or by what came before."""
    theta, target = np.array([0.7, 0.2]), np.array([0.2, 0.8])
    model, n, expectation = MeanRewards(shrinkage=1.0), 4, 0.0
    for rounds in product(product(range(2), range(2)), repeat=n):
        arms, rewards = map(np.array, zip(*rounds, strict=True))
        first = [0.5]
        for t in range(1, n):  # nine in ten for the arm that has done better so far
            lead = ((rewards[:t] - 0.5) * np.where(arms[:t] == arms[t], 1, -1)).sum()
            first.append(0.5 + 0.4 * np.sign(lead) * learns)
        chance = np.prod(first * np.where(rewards, theta[arms], 1 - theta[arms]))
        log = LoggedRounds(
            X=np.zeros((n, 1)), arms=arms, rewards=rewards, propensities=first, n_arms=2
        )
        if cross_fits:
            predict = cross_fitted(log, model, np.random.default_rng(1), n_folds=2)
        else:
            past = [model.fit(log.take(np.arange(t)), None)(log.X[:1])[0] for t in range(1, n)]
            predict = np.stack([np.full(2, 0.5), *past]).__getitem__
        evidence = gather(log, np.tile(target, (n, 1)), predict)
        expectation += chance * DoublyRobust().parts(evidence).value
    assert expectation - theta @ target == pytest.approx(bias, abs=1e-12)


def test_the_direct_method_is_off_by_what_its_model_is_off():
    """So that the enumeration above is one that can fail."""
    model = float(SHARES @ (TARGETS * WRONG_MODEL).sum(axis=1))
    truth = float(SHARES @ (TARGETS * REWARDS).sum(axis=1))
    assert abs(model - truth) > 0.05


def test_limits_that_cut_nothing_change_nothing():
    evidence = six_evidence()
    for limited, whole in ((ClippedIPS(largest=4), IPS()), (SwitchDR(largest=4), DoublyRobust())):
        assert limited.parts(evidence).value == whole.parts(evidence).value
    shrunk = ShrunkDR(largest=1e9).parts(evidence).value
    assert shrunk == pytest.approx(DoublyRobust().parts(evidence).value, abs=1e-12)
    nothing = SwitchDR(largest=0.1).parts(evidence).value
    assert nothing == DirectMethod().parts(evidence).value


def test_without_a_round_that_counts_there_is_no_ratio():
    evidence = Evidence(rewards=np.ones(3), weights=np.zeros(3))
    assert np.isnan(SNIPS().parts(evidence).value)
    assert IPS().parts(evidence).value == 0.0


@pytest.mark.parametrize("largest", [0, -1, float("nan"), "2"])
def test_limits_have_to_be_positive_numbers(largest):
    with pytest.raises(ValueError, match="largest must be"):
        ClippedIPS(largest=largest)


def test_estimators_with_a_model_ask_for_one():
    evidence = Evidence(rewards=np.ones(3), weights=np.ones(3))
    with pytest.raises(ValueError, match="needs a reward model"):
        DoublyRobust().parts(evidence)


def test_a_seed_is_no_generator():
    with pytest.raises(ValueError, match=r"numpy\.random\.Generator"):
        Replay(rng=0)
