"""Outcomes follow from intervals, and verdicts from outcomes, by stated rules."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cbkit.experiments.stats import mean_interval
from cbkit.experiments.tables import to_markdown
from cbkit.studies.claims.comparisons import (
    UntestableError,
    by_seed,
    compare,
    comparison,
    elsewhere,
    taken,
)
from cbkit.studies.claims.verdicts import (
    Claim,
    decide,
    effect,
    judge,
    one_page,
    replicates_needed,
    verdict,
)
from cbkit.studies.evaluation.experiment import AUTHORS

NOISE = np.array([-0.002, -0.001, 0.0, 0.001, 0.002])


def row(level, claimed="above", *, reference=1.0, noise=NOISE, **rest):
    """A comparison of five replicates around a level."""
    found = mean_interval(level + noise)
    return comparison(found, claimed, reference=reference, **(rest | {"question": "q"}))


def outcomes(*rows):
    return decide(pd.DataFrame(rows))["outcome"].tolist()


# From an interval to an outcome


@pytest.mark.parametrize(
    ("level", "claimed", "rest", "expected"),
    [
        (0.10, "above", {}, "supported"),
        (-0.10, "above", {}, "contradicted"),
        (-0.10, "below", {}, "supported"),
        (0.10, "below", {}, "contradicted"),
        (0.10, "above", {"margin": 0.2}, "contradicted"),
        (-0.10, "below", {"margin": 0.2}, "contradicted"),
        (0.30, "above", {"margin": 0.2}, "supported"),
        (0.01, "above", {}, "equivalent"),
        (-0.01, "above", {}, "equivalent"),
        (0.01, "above", {"small": 0.0}, "supported"),
        (0.01, "near", {}, "supported"),
        (0.10, "near", {}, "contradicted"),
        (-0.10, "near", {}, "contradicted"),
        (0.10, "near", {"small": 0.2}, "supported"),
        (0.05, "near", {}, "open"),
        (0.0, "above", {"small": 0.0}, "open"),
    ],
)
def test_outcome_is_where_the_whole_interval_lies(level, claimed, rest, expected):
    assert outcomes(row(level, claimed, **rest)) == [expected]


def test_policies_that_never_differ_are_identical_and_near():
    same = np.zeros(5)
    rows = [row(0.0, claimed, noise=same) for claimed in ("above", "below", "near")]
    assert outcomes(*rows) == ["identical", "identical", "supported"]


def test_a_margin_of_equivalence_is_five_percent_of_the_reference():
    rows = [row(0.06, reference=reference) for reference in (2.0, 1.0)]
    assert outcomes(*rows) == ["equivalent", "supported"]


def test_one_replicate_leaves_all_open_and_needs_no_number():
    found = decide(pd.DataFrame([row(0.1, noise=np.zeros(1)), row(0.1, "near", noise=np.zeros(1))]))
    assert found["outcome"].tolist() == ["open", "open"]
    assert found["n_needed"].isna().all()


def test_comparisons_of_a_claim_are_corrected_together_by_holm():
    noise = np.array([-0.1, 0.1, 0.0, -0.05, 0.05])
    alone = row(0.1, noise=noise)
    error = noise.std(ddof=1) / np.sqrt(5)
    p = 2 * stats.t.sf(0.1 / error, 4)
    assert 0.025 < p < 0.05
    assert outcomes(alone) == ["supported"]
    two = decide(pd.DataFrame([alone, row(0.0, noise=noise)]))
    assert two["outcome"].tolist() == ["open", "open"]
    assert two["p_holm"].tolist() == pytest.approx([2 * p, 1.0])


def test_another_kind_of_claim_is_refused():
    with pytest.raises(ValueError, match="claimed must be above, below or near, got 'over'"):
        row(0.1, "over")


# How many replicates would settle it


def test_replicates_needed_by_hand():
    # t(0.975, 17) = 2.10982: 2.10982 / sqrt(18) = 0.4973; with 17 it is 0.5142
    assert replicates_needed(1.0, 0.5) == 18
    assert replicates_needed(2.0, 1.0) == 18
    assert replicates_needed(1.0, 0.0) == np.inf
    assert replicates_needed(1.0, 0.5, level=0.01) == 31


def test_an_open_comparison_needs_the_fewer_of_a_clear_difference_or_a_clear_equivalence():
    spread = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
    sd = spread.std(ddof=1)
    clear = decide(pd.DataFrame([row(0.1, noise=spread)]))
    assert clear["outcome"].tolist() == ["open"]
    assert clear["n_needed"].tolist() == [replicates_needed(sd, 0.1)]
    equal = decide(pd.DataFrame([row(0.01, noise=spread)]))
    assert equal["n_needed"].tolist() == [replicates_needed(sd, 0.04)]
    near = decide(pd.DataFrame([row(0.01, "near", noise=spread)]))
    assert near["n_needed"].tolist() == [replicates_needed(sd, 0.04)]


def test_an_interval_that_Holm_leaves_open_needs_more_replicates_than_it_has():
    noise = np.array([-0.1, 0.1, 0.0, -0.05, 0.05])
    two = decide(pd.DataFrame([row(0.1, noise=noise), row(0.0, noise=noise)]))
    sd = noise.std(ddof=1)
    assert two["n_needed"].iloc[0] == replicates_needed(sd, 0.1, level=0.025) > 5


# Choosing on other replicates


def test_rivals_are_chosen_on_the_choosing_seeds_and_compared_on_the_others():
    table = pd.DataFrame({"a": [1.0, 1.0, 0.0], "b": [0.0, 0.0, 9.0]}, index=[0, 1, 10])
    rival = taken(table, elsewhere(table, ["a", "b"]))
    assert (rival.to_dict(), rival.name) == ({10: 0.0}, "a")
    assert taken(table, elsewhere(table, ["a", "b"], worst=True)).to_dict() == {10: 9.0}


def test_without_choosing_seeds_each_replicate_is_chosen_for_by_the_others():
    table = pd.DataFrame({"a": [9.0, 0.0, 0.0], "b": [1.0, 1.0, 1.0]}, index=[10, 11, 12])
    assert elsewhere(table, ["a", "b"]).tolist() == ["b", "a", "a"]
    with pytest.raises(UntestableError, match="1 replicates cannot choose among a, b"):
        elsewhere(table[:1], ["a", "b"])


@pytest.mark.statistical
def test_the_best_of_equals_chosen_on_other_replicates_is_no_better_than_they_are():
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(400):
        table = pd.DataFrame(rng.normal(size=(10, 8)))
        gains.append(taken(table, elsewhere(table, list(table))).mean())
    assert abs(np.mean(gains)) < 4 * np.std(gains) / np.sqrt(400)
    flattered = [pd.DataFrame(rng.normal(size=(10, 8))).mean().max() for _ in range(400)]
    assert np.mean(flattered) > 0.3


def test_compared_are_the_fresh_seeds_that_both_have():
    table = pd.DataFrame({"a": [9.0, 2.0, 3.0, 4.0], "b": [0.0, 1.0, 1.0, np.nan]}, [9, 10, 11, 12])
    found = compare(table, "a", "b", "above", question="q")
    assert (found["difference"], found["n"], found["reference"]) == (1.5, 2, 1.0)
    with pytest.raises(UntestableError, match="a and b share no replicate"):
        compare(table[3:], "a", "b", "above", question="q")
    with pytest.raises(UntestableError, match="there are no runs of c"):
        compare(table, "a", "c", "above", question="q")


def test_unpaired_and_repeated_runs_are_refused():
    runs = pd.DataFrame({"policy": ["a", "b"], "seed": 1, "mean_reward": 0.1, "checksum": "c"})
    assert by_seed(runs, "policy").loc[1].to_dict() == {"a": 0.1, "b": 0.1}
    with pytest.raises(ValueError, match="not paired: their row_order differs at 1"):
        by_seed(runs.assign(row_order=["x", "y"]), "policy")
    with pytest.raises(ValueError, match="duplicate"):
        by_seed(runs.assign(policy="a"), "policy")


# From outcomes to verdicts


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (["supported", "supported"], "supported"),
        (["supported", "supported", "open"], "supported"),
        (["supported", "open"], "undecided"),
        (["supported", "contradicted", "open", "open", "open"], "mixed"),
        (["supported", "equivalent"], "mixed"),
        (["supported", "identical"], "mixed"),
        (["contradicted", "equivalent", "open"], "refuted"),
        (["identical"], "refuted"),
        (["contradicted", "open"], "undecided"),
        ([], "undecided"),
    ],
)
def test_verdict_follows_from_the_outcomes(found, expected):
    assert verdict(found) == expected


def claim(compare, number=1):
    return Claim(number=number, text="a", test="b", needs="t", compare=compare)


def tables(**levels):
    """A table that holds only the names of data sets; `compared` knows their levels."""
    return {"t": pd.DataFrame({"dataset": list(levels), "level": list(levels.values())})}


def compared(part):
    return [row(level, who="a", first="a", second="b") for level in part["level"]]


def test_only_real_data_in_the_paper_s_setting_make_the_verdict():
    def settings(part):
        (found,) = compared(part)
        return [found, row(-0.5, setting=AUTHORS), row(0.0, setting="beside")]

    levels = {"bibtex": 0.2, "yeast": 0.3, "mediamill-like": -0.4}
    table, comparisons = judge([claim(settings)], tables(**levels))
    first = table.iloc[0]
    beside = (first["verdict"], first[AUTHORS], first["planted"])
    assert beside == ("supported", "refuted", "refuted")
    assert (first["supported"], first["contradicted"], first["open"]) == (2, 0, 0)
    assert (first["sets"], first["n"], len(comparisons)) == ("2 supported", "5", 9)
    assert first["effect_pct"] == pytest.approx(25)


def test_effect_is_the_mean_over_data_sets_with_its_interval_over_replicates():
    rows = pd.DataFrame([row(0.2), row(0.2), row(0.5)]).assign(dataset=["a", "a", "b"])
    half = 100 * (rows["high"] - rows["low"]).iloc[0] / 2
    found = effect(rows)
    assert found["effect_pct"] == pytest.approx(35)
    assert found["high_pct"] - 35 == pytest.approx(np.sqrt(2) * half / 2)
    assert effect(rows[2:])["low_pct"] == pytest.approx(100 * rows["low"].iloc[2])


def test_a_data_set_that_cannot_be_tested_leaves_the_others():
    def some(part):
        if part["dataset"].iloc[0] == "yeast":
            raise UntestableError("no such runs")
        return compared(part)

    table, comparisons = judge([claim(some)], tables(bibtex=0.2, yeast=0.2))
    assert (table["verdict"].tolist(), table["reason"].tolist()) == (["supported"], [""])
    assert comparisons["dataset"].tolist() == ["bibtex"]


def test_a_claim_that_cannot_be_tested_says_why():
    def refuse(part):
        raise UntestableError("no such runs")

    table, comparisons = judge([claim(refuse)], tables(bibtex=1))
    assert table[["verdict", "reason"]].to_numpy().tolist() == [["undecided", "no such runs"]]
    assert comparisons.empty
    table, _ = judge([claim(compared)], {})
    assert table["reason"].tolist() == ["there is no table t"]
    table, _ = judge([claim(compared)], tables(**{"mediamill-like": 0.1}))
    assert table["reason"].tolist() == ["there are no real data at hand"]


def test_claims_are_corrected_by_themselves():
    noise = np.array([-0.1, 0.1, 0.0, -0.05, 0.05])

    def clear(part):
        return [row(0.1, noise=noise)]

    both = [claim(clear, 1), claim(clear, 2)]
    assert judge(both, tables(bibtex=0))[0]["verdict"].tolist() == ["supported"] * 2
    assert judge(both[:1], tables(bibtex=0, yeast=0))[0]["verdict"].tolist() == ["undecided"]


def test_one_page_has_a_line_per_claim_with_its_effect():
    table, _ = judge([claim(compared), claim(lambda part: [], 2)], tables(bibtex=0.2))
    page = to_markdown(one_page(table)).splitlines()
    assert page[2].startswith("| 1 | a | supported | +20% [+20, +20] | 5 | 1 supported |")
    assert page[3].startswith("| 2 | a | undecided |  |  |")
