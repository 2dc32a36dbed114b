"""A figure shows one claim: a panel per question, a row per real data set."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.experiments.stats import mean_interval
from cbkit.studies.claims.comparisons import comparison
from cbkit.studies.claims.plots import effects
from cbkit.studies.claims.verdicts import Claim, judge

LEVELS = {"bibtex": 0.1, "yeast": 0.5, "mediamill-like": 9.0}


def comparisons(noise=0.01):
    def compare(part):
        level = LEVELS[part["dataset"].iloc[0]]
        found = mean_interval(level + noise * np.arange(-2, 3))
        rows = [comparison(found, "above", reference=2.0, question=q, who="a") for q in "xy"]
        return [*rows, comparison(found, "above", reference=2.0, question="z", setting="beside")]

    claim = Claim(number=1, text="", test="", needs="t", compare=compare)
    return judge([claim], {"t": pd.DataFrame({"dataset": list(LEVELS)})})[1]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_panels_are_questions_and_rows_real_data_sets_largest_effect_first():
    first, second = effects(comparisons()).axes
    assert [ax.get_title(loc="left") or ax.get_title() for ax in (first, second)] == ["x", "y"]
    labels = [label.get_text() for label in first.get_yticklabels()]
    assert labels == ["yeast, n = 5", "bibtex, n = 5"]


def test_differences_are_in_percent_of_the_reference():
    ax = effects(comparisons()).axes[0]
    drawn = sorted(line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o")
    assert drawn == pytest.approx([5, 25])
    assert ax.get_xlim()[1] > 25


def test_identical_policies_are_marked():
    table = comparisons(noise=0.0).assign(difference=0.0, low=0.0, high=0.0, outcome="identical")
    texts = [text.get_text() for text in effects(table).axes[0].texts]
    assert texts == ["identical", "identical"]


def test_nothing_to_draw_and_several_claims_are_refused():
    table = comparisons()
    with pytest.raises(ValueError, match="nothing to draw"):
        effects(table[table["planted"].astype(bool)])
    with pytest.raises(ValueError, match="a figure shows one claim, got"):
        effects(table.assign(claim=range(len(table))))
