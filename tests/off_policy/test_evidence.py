"""What is gathered from a log: weights and expectations, block by block, in little memory."""

import tracemalloc

import numpy as np
import pytest
from six_rounds import TARGET, Q, six_rounds

from cbkit.off_policy import IPS, DoublyRobust, LoggedRounds, evidence, gather


def test_weights_are_the_ratio_of_probabilities():
    assert gather(six_rounds(), TARGET).weights.tolist() == [2, 2, 2, 0.5, 4, 2]


def test_a_function_of_contexts_gives_what_its_table_gives(monkeypatch):
    monkeypatch.setattr(evidence, "_CELLS", 6)  # two rounds at once
    sizes = []

    def target(X):
        sizes.append(len(X))
        return TARGET[X[:, 0].astype(int)]

    found = gather(six_rounds(), target, lambda rows: np.tile(Q, (len(rows), 1)))
    whole = gather(six_rounds(), TARGET, lambda rows: np.tile(Q, (len(rows), 1)))
    assert sizes == [2, 2, 2]
    for name in ("weights", "predicted", "expected"):
        assert getattr(found, name).tolist() == getattr(whole, name).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p[:5], r"shape \(6, 3\), got \(5, 3\)"),
        (lambda p: p[:, :2], r"shape \(6, 3\), got \(6, 2\)"),
        (lambda p: p * np.where(np.arange(6) == 4, 0.5, 1)[:, None], "sum of 0.5 .* in row 4"),
        (lambda p: p + np.array([[0.2, -0.2, 0]]), "least one of -0.2 in row 0"),
        (lambda p: np.where(p == 0.3, np.nan, p), "in row 5"),
        (lambda p: lambda X: p[0], r"must give shape \(6, 3\)"),
    ],
)
def test_bad_targets_are_refused_with_the_row(change, message):
    with pytest.raises(ValueError, match=message):
        gather(six_rounds(), change(TARGET))


def big_log(n_rounds: int, n_arms: int) -> LoggedRounds:
    rng = np.random.default_rng(0)
    return LoggedRounds(
        X=rng.normal(size=(n_rounds, 5)),
        arms=rng.integers(n_arms, size=n_rounds),
        rewards=rng.integers(2, size=n_rounds),
        propensities=np.full(n_rounds, 1 / n_arms),
        n_arms=n_arms,
    )


@pytest.mark.slow
def test_memory_grows_with_rounds_and_not_with_rounds_times_arms():
    n_arms = 500
    row = np.full(n_arms, 1 / n_arms)
    peaks = []
    for n_rounds in (50_000, 100_000):
        log = big_log(n_rounds, n_arms)
        tracemalloc.start()
        found = gather(
            log, lambda X: np.tile(row, (len(X), 1)), lambda at: np.tile(row, (len(at), 1))
        )
        for estimator in (IPS(), DoublyRobust()):
            estimator.parts(found)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 100_000 * n_arms * 8 / 2  # half of one table of rounds times arms
    assert peaks[1] - peaks[0] < 50_000 * 8 * 20  # twenty numbers per round
