"""Verdicts on the paper's claims: rules from intervals to outcomes, and from outcomes to verdicts.

A claim is tested by comparisons, each a mean difference over replicates with its 95% interval on
one data set. The rules are `decide` and `verdict`; what is compared is in the other modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cbkit.experiments.stats import CONFIDENCE, holm
from cbkit.studies.claims.comparisons import UntestableError
from cbkit.studies.evaluation.experiment import AUTHORS, PAPERS, TUNED
from cbkit.studies.evaluation.figures import is_planted

SUPPORTED, MIXED, REFUTED, UNDECIDED = "supported", "mixed", "refuted", "undecided"
OUTCOMES = ("supported", "open", "equivalent", "identical", "contradicted")
LEVEL = 1 - CONFIDENCE
COMPARISON_COLUMNS = ["claim", "dataset", "planted", "setting", "who", "question", "first"]
COMPARISON_COLUMNS += ["second", "claimed", "difference", "low", "high", "n", "reference"]
COMPARISON_COLUMNS += ["margin", "small", "p_holm", "outcome", "n_needed"]
_FAMILY = ["claim", "planted", "setting"]  # corrected together


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of the paper and how it is tested.

    Attributes
    ----------
    number : int
    text : str
        What is claimed.
    test : str
        What is compared, and what supports the claim.
    needs : str
        Study and name of the committed table that `compare` gets.
    compare : callable
        ``compare(table) -> list of comparisons`` from `compare` or `comparison`; the table holds
        one data set, where it has a column ``dataset``. The first question gives the effect.
    """

    number: int
    text: str
    test: str
    needs: str
    compare: Callable[[pd.DataFrame], list[dict[str, Any]]]


def decide(family: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons with their outcomes, corrected for how many they are by Holm.

    The first that applies: *identical*, where no replicate differs and something above or below 0
    is claimed; *equivalent*, where the whole 95% interval lies within ``small`` from 0 and the same
    is claimed; *supported* and *contradicted*, where the difference is on that side of the margin
    by a t test at 5% after Holm's correction; else *open*. Of an open one ``n_needed`` is the
    number of replicates with which the same mean and spread would settle it.

    Parameters
    ----------
    family : DataFrame
        Rows from `comparison`.

    Returns
    -------
    DataFrame
        With ``p_holm``, ``outcome`` and ``n_needed``.
    """
    n, size = family["n"], family["difference"].abs()
    error = (family["high"] - family["low"]) / 2 / stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)
    near = family["claimed"] == "near"
    sign = family["claimed"].map({"above": 1, "below": -1, "near": 0})
    inside = (sign * family["difference"] - family["margin"]).where(~near, family["small"] - size)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_holm = holm(2 * stats.t.sf(inside.abs() / error, n - 1))
    widest = family[["low", "high"]].abs().max(axis=1, skipna=False)
    same = {"identical": ~near & (widest == 0), "equivalent": ~near & (widest <= family["small"])}
    clear = p_holm < LEVEL
    rules = same | {"supported": clear & (inside > 0), "contradicted": clear & (inside <= 0)}
    outcome = np.select(list(rules.values()), list(rules), "open")
    spread = error * np.sqrt(n)
    strict = LEVEL / max(np.isfinite(p_holm).sum(), 1)  # the first step of Holm's correction
    needed = [
        min(replicates_needed(sd, gap, strict), replicates_needed(sd, room))
        if what == "open" and sd > 0
        else np.nan
        for sd, gap, room, what in zip(
            spread, inside.abs(), (family["small"] - size).where(~near, 0), outcome, strict=True
        )
    ]
    return family.assign(p_holm=p_holm, outcome=outcome, n_needed=needed)


def replicates_needed(spread: float, half_width: float, level: float = LEVEL) -> float:
    """Return the fewest replicates whose t interval is no wider than asked.

    Parameters
    ----------
    spread : float
        Standard deviation over replicates.
    half_width : float
        Half the width asked for; infinitely many are needed for none.
    level : float, default=0.05
        One minus the confidence.

    Examples
    --------
    >>> replicates_needed(1.0, 0.5), replicates_needed(1.0, 0.0)
    (18.0, inf)
    """
    if not half_width > 0:
        return np.inf
    n = max(2.0, np.ceil((stats.norm.ppf(1 - level / 2) * spread / half_width) ** 2))
    while stats.t.ppf(1 - level / 2, n - 1) * spread / np.sqrt(n) > half_width:
        n += 1
    return float(n)


def verdict(outcomes: Iterable[str]) -> str:
    """Return the verdict that follows from the outcomes of a claim's comparisons.

    Against a claim are the contradicted, and the equivalent and identical, which it says differ.
    Mixed: some support it and some are against it. Supported, refuted: all that are settled agree,
    and they are more than half. Undecided: half or more are open, or there is none.

    Examples
    --------
    >>> verdict(["supported"] * 2 + ["open"]), verdict(["supported", "equivalent", "open"])
    ('supported', 'mixed')
    >>> verdict(["contradicted", "identical"]), verdict(["open", "supported"]), verdict([])
    ('refuted', 'undecided', 'undecided')
    """
    outcomes = list(outcomes)
    for_it, still_open = outcomes.count("supported"), outcomes.count("open")
    against = len(outcomes) - for_it - still_open
    if for_it and against:
        return MIXED
    if still_open >= for_it + against:
        return UNDECIDED
    return SUPPORTED if for_it else REFUTED


def judge(
    claims: Iterable[Claim], tables: Mapping[str, pd.DataFrame]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Test claims on tables of results.

    Parameters
    ----------
    claims : iterable of Claim
    tables : mapping of str to DataFrame
        Those that are there, by the name that claims need them under.

    Returns
    -------
    verdicts, comparisons : DataFrame
        ``verdicts``, one row per claim: claim, text, ``verdict`` (real data, the paper's text), the
        effect of the first question, see `effect`, ``n`` (replicates), how many comparisons had
        each of `OUTCOMES`, the data ``sets`` by their verdicts, the verdicts of the author's code,
        the tuned prior and planted data (empty where nothing was compared), and ``reason`` where
        there is nothing. ``comparisons``: what the verdicts follow from.
    """
    claims, reasons, rows = list(claims), {}, []
    for claim in claims:
        table = tables.get(claim.needs, pd.DataFrame())
        parts = table.groupby("dataset", sort=False) if "dataset" in table else [("", table)]
        reasons[claim.number] = f"there is no table {claim.needs}" if table.empty else ""
        for dataset, part in parts if len(table) else ():
            try:
                found = claim.compare(part)
            except UntestableError as absent:
                reasons[claim.number] = str(absent)
                continue
            labels = {"claim": claim.number, "dataset": dataset, "planted": is_planted(dataset)}
            rows += [labels | row for row in found]
    comparisons = pd.DataFrame(rows, columns=COMPARISON_COLUMNS)
    families = [decide(family) for _, family in comparisons.groupby(_FAMILY, sort=False)]
    comparisons = pd.concat(families).sort_index() if families else comparisons
    table = [
        {"claim": claim.number, "text": claim.text}
        | _summary(comparisons[comparisons["claim"] == claim.number], reasons[claim.number])
        for claim in claims
    ]
    return pd.DataFrame(table), comparisons


def _summary(own: pd.DataFrame, reason: str) -> dict[str, Any]:
    planted = own["planted"].astype(bool)
    scopes = {name: own[~planted & (own["setting"] == name)] for name in (PAPERS, AUTHORS, TUNED)}
    scopes["planted"] = own[planted & (own["setting"] == PAPERS)]
    paper = scopes.pop(PAPERS)
    sets = paper.groupby("dataset")["outcome"].agg(verdict).value_counts()
    span = dict.fromkeys(map(str, sorted({paper["n"].min(), paper["n"].max()})))
    return (
        {"verdict": verdict(paper["outcome"])}
        | effect(paper)
        | {"n": " to ".join(span) if len(paper) else ""}
        | {name: int((paper["outcome"] == name).sum()) for name in OUTCOMES}
        | {"sets": ", ".join(f"{count} {name}" for name, count in sets.items())}
        | {name: verdict(rows["outcome"]) if len(rows) else "" for name, rows in scopes.items()}
        | {"reason": "" if len(paper) else reason or "there are no real data at hand"}
    )


def effect(comparisons: pd.DataFrame) -> dict[str, float]:
    """Return the effect of a claim's first question, in percent of its references.

    Parameters
    ----------
    comparisons : DataFrame
        Of one claim, setting and kind of data.

    Returns
    -------
    dict
        ``effect_pct``, the mean over these data sets, with ``low_pct`` and ``high_pct``: its 95%
        interval over replicates. Errors of different data sets are independent; those within one
        are taken to be the same.
    """
    names = ["effect_pct", "low_pct", "high_pct"]
    if comparisons.empty:
        return dict.fromkeys(names, np.nan)
    first = comparisons[comparisons["question"] == comparisons["question"].iloc[0]]
    means = in_percent(first).groupby(first["dataset"]).mean()
    mean = means["difference"].mean()
    half = np.sqrt(((means["high"] - means["low"]) ** 2).sum(skipna=False)) / 2 / len(means)
    return dict(zip(names, (mean, mean - half, mean + half), strict=True))


def in_percent(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return difference, low and high in percent of what they are a share of."""
    columns = comparisons[["difference", "low", "high"]]
    return 100 * columns.div(comparisons["reference"].abs(), axis=0)


def one_page(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts as text, a line per claim, for `cbkit.experiments.tables.to_markdown`.

    Parameters
    ----------
    verdicts : DataFrame
        From `judge`.

    Returns
    -------
    DataFrame
        By claim: text, verdict, effect with its interval, n, sets, and what stands beside.
    """
    numbers = zip(*(verdicts[name] for name in ("effect_pct", "low_pct", "high_pct")), strict=True)
    shown = [f"{e:+.0f}% [{low:+.0f}, {high:+.0f}]" if e == e else "" for e, low, high in numbers]
    kept = verdicts[["text", "verdict", "n", "sets", AUTHORS, TUNED]].fillna("")
    kept.insert(2, "effect", shown)
    return kept.set_index(verdicts["claim"]).rename(columns={"n": "replicates"})
