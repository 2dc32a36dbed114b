"""The claim of the table of classifiers: each plays, or is refused in words and in time."""

import re

import numpy as np
import pytest
from classifier_cases import planted
from classifier_table import PLAYS, TABLE
from scipy import sparse

from cbkit import BootstrappedUCB, Greedy, OnlineBootstrappedUCB, StreamingOracle, simulate

CONTAINERS = {"dense": np.asarray, "sparse": sparse.csr_array}


def greedy(classifier):
    return Greedy(3, oracle=classifier)


def resampled(classifier):
    return BootstrappedUCB(3, oracle=classifier, n_resamples=2)


def streamed(classifier):
    oracle = StreamingOracle(classifier=classifier)
    return OnlineBootstrappedUCB(3, oracle=oracle, n_resamples=2, weights="poisson")


def cell(name, make, layout):
    """One trial; greedy play shows what sparse contexts do, and resamples of them repeat it."""
    marks = pytest.mark.exhaustive if layout == "sparse" and make is not greedy else ()
    return pytest.param(make, name, layout, id=f"{name}-{make.__name__}-{layout}", marks=marks)


CELLS = [
    cell(name, make, layout)
    for name in TABLE
    for make in (greedy, resampled, streamed)
    for layout in CONTAINERS
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("make", "name", "layout"), CELLS)
def test_every_classifier_plays_or_is_refused_in_words_before_the_first_round(make, name, layout):
    row = TABLE[name]
    expected = getattr(row, layout)
    if make is streamed and (expected == PLAYS or row.streaming != PLAYS):
        expected = row.streaming
    classifier, policy = row.make(), None
    try:
        policy = make(classifier)
        log = simulate(
            policy, planted(container=CONTAINERS[layout]), seed=0, n_rounds=120, refit_every=60
        )
    except ValueError as error:
        assert re.search(expected, str(error)), error
        assert policy is None or policy.is_fresh
    else:
        assert re.search(expected, PLAYS)
        assert log.facts["n_fitted_arms"] > 0
        assert log.rounds["index"].between(0, 1).all()


def test_the_table_has_25_classifiers_of_five_libraries():
    libraries = [row.library for row in TABLE.values()]
    assert len(libraries) >= 25 and len(set(libraries)) == 5
    assert min(map(libraries.count, libraries)) >= 4
