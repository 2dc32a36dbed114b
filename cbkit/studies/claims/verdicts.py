"""Verdicts on the paper's claims: rules from intervals to outcomes, and from outcomes to verdicts.

A claim is tested by comparisons, each a paired difference with a 95% interval on one data set. The
rules are `outcome` and `verdict`; what is compared for each claim is in `evaluation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from cbkit.experiments.stats import mean_interval, paired_difference
from cbkit.studies.evaluation.figures import is_planted

HOLDS, IN_PART = "holds", "holds in part"
FAILS, UNTESTABLE = "does not hold", "not testable here"
PAPER, TUNED = "paper's constants", "tuned prior"

OUTCOMES = ("supported", "open", "contradicted")
COMPARISON_COLUMNS = ["claim", "dataset", "planted", "setting", "comparison", "claimed", "margin"]
COMPARISON_COLUMNS += ["difference", "low", "high", "n", "reference", "outcome"]


def outcome(low: float, high: float, claimed: str, margin: float = 0.0) -> str:
    """Return what a 95% interval of a difference means for what is claimed of it.

    Parameters
    ----------
    low, high : float
        Bounds of the interval.
    claimed : {"above", "below", "near"}
        That the difference is above `margin`, below minus `margin`, or no further than `margin`
        from 0.
    margin : float, default=0

    Returns
    -------
    str
        ``"supported"`` where the whole interval is where the claim has it, ``"contradicted"`` where
        none of it is, else ``"open"``. Bounds of NaN (one replicate) leave it open.

    Raises
    ------
    ValueError
        If `claimed` is none of the three.

    Examples
    --------
    >>> outcome(0.01, 0.03, "above"), outcome(-0.01, 0.03, "above"), outcome(0, 0, "above")
    ('supported', 'open', 'contradicted')
    >>> outcome(-0.01, 0.03, "near", margin=0.05), outcome(0.01, 0.2, "near", margin=0.05)
    ('supported', 'open')
    """
    if claimed == "below":
        low, high, claimed = -high, -low, "above"
    if claimed == "above":
        inside, outside = low > margin, high <= margin
    elif claimed == "near":
        inside, outside = -margin <= low and high <= margin, low > margin or high < -margin
    else:
        raise ValueError(f"claimed must be above, below or near, got {claimed!r}")
    return "supported" if inside else "contradicted" if outside else "open"


def verdict(outcomes: Iterable[str]) -> str:
    """Return the verdict that follows from the outcomes of a claim's comparisons.

    All supported: it holds. Some: it holds in part. None, and at least one contradicted: it does
    not hold. Nothing but open ones, or no comparison at all: it is not testable here.

    Examples
    --------
    >>> verdict(["supported", "supported"]), verdict(["supported", "contradicted"])
    ('holds', 'holds in part')
    >>> verdict(["open", "contradicted"]), verdict(["open"]), verdict([])
    ('does not hold', 'not testable here', 'not testable here')
    """
    found = set(outcomes)
    if found == {"supported"}:
        return HOLDS
    if "supported" in found:
        return IN_PART
    return FAILS if "contradicted" in found else UNTESTABLE


class UntestableError(Exception):
    """What a claim needs is not there; the message says what."""


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
        ``compare(table) -> list of comparisons``, each from `compare_runs`, `compare_values` or
        `comparison`.
    """

    number: int
    text: str
    test: str
    needs: str
    compare: Callable[[pd.DataFrame], list[dict[str, Any]]]


def compare_runs(
    first: pd.DataFrame, second: pd.DataFrame, claimed: str, *, share: float = 0.0, **labels: str
) -> dict[str, Any]:
    """Compare final rewards of the same replicates.

    Parameters
    ----------
    first, second : DataFrame
        As for `cbkit.experiments.stats.paired_difference`.
    claimed : str
        As for `outcome`.
    share : float, default=0
        Margin, as a share of the second's mean.
    **labels
        ``dataset``, ``setting`` and ``comparison``, what is subtracted from what.

    Returns
    -------
    dict
        A comparison, as from `comparison`.

    Raises
    ------
    ValueError
        If the two are not runs of the same replicates.
    """
    names = tuple(labels["comparison"].split(" minus "))
    compared = paired_difference(first, second, names=names)
    reference = float(second["mean_reward"].mean())
    return comparison(compared, claimed, margin=share * reference, reference=reference, **labels)


def compare_values(
    differences: Sequence[float], claimed: str, *, margin: float, reference: float, **labels: str
) -> dict[str, Any]:
    """Compare by one difference per replicate, made elsewhere; otherwise as `compare_runs`.

    Parameters
    ----------
    differences : sequence of float, shape (n_replicates,)
        First minus second.
    claimed, **labels
        As for `compare_runs`.
    margin : float
        As for `outcome`, in the units of `differences`.
    reference : float
        What the differences are to be seen against, such as the mean reward of what is subtracted.

    Returns
    -------
    dict
        A comparison.
    """
    names = ("difference", "low", "high", "n")
    compared = dict(zip(names, mean_interval(differences), strict=True))
    return comparison(compared, claimed, margin=margin, reference=reference, **labels)


def comparison(compared: Mapping[str, float], claimed: str, **rest: Any) -> dict[str, Any]:
    """Return what an interval (difference, low, high, n) means for what is claimed of it.

    Parameters
    ----------
    compared : mapping of str to float
        The interval: ``difference``, ``low``, ``high`` and the number ``n`` of replicates.
    claimed : str
        As for `outcome`.
    **rest
        What `compare_values` takes by name: ``margin``, ``reference`` and the labels.

    Returns
    -------
    dict
        Of `COMPARISON_COLUMNS` all but ``claim`` and ``planted``, which `judge` adds.
    """
    kept = {name: compared[name] for name in ("difference", "low", "high", "n")}
    found = outcome(kept["low"], kept["high"], claimed, rest["margin"])
    return rest | kept | {"claimed": claimed, "outcome": found}


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
        ``verdicts``, one row per claim: claim, text, ``verdict`` (real data, the paper's
        constants), ``tuned prior`` (real data), ``planted`` (stand-ins, the paper's constants;
        empty where none was compared), how many comparisons were supported, open and contradicted,
        and ``reason`` where it is not testable. ``comparisons``: what the verdicts follow from.
    """
    verdicts, rows = [], []
    for claim in claims:
        reason, found = "", []
        try:
            if claim.needs not in tables or tables[claim.needs].empty:
                raise UntestableError(f"there is no table {claim.needs}")
            found = claim.compare(tables[claim.needs])
        except UntestableError as absent:
            reason = str(absent)
        rows += [{"claim": claim.number, "planted": is_planted(r["dataset"])} | r for r in found]
        verdicts.append({"claim": claim.number, "text": claim.text, "reason": reason})
    comparisons = pd.DataFrame(rows, columns=COMPARISON_COLUMNS)
    table = pd.DataFrame(verdicts)
    table = table.merge(_verdicts(table["claim"], comparisons), on="claim")
    undecided = (table["verdict"] == UNTESTABLE) & (table["reason"] == "")
    some = undecided & (table["open"] > 0)
    table.loc[some, "reason"] = "every interval is open: these replicates do not decide"
    table.loc[undecided & ~some, "reason"] = "there are no real data at hand"
    return table, comparisons


def _verdicts(numbers: Iterable[int], comparisons: pd.DataFrame) -> pd.DataFrame:
    paper, real = comparisons["setting"] == PAPER, ~comparisons["planted"].astype(bool)
    scopes = {"verdict": paper & real, TUNED: ~paper & real, "planted": paper & ~real}
    table = []
    for number in numbers:
        own = comparisons["claim"] == number
        row: dict[str, Any] = {"claim": number}
        for scope, rows in scopes.items():
            outcomes = list(comparisons.loc[own & rows, "outcome"])
            row[scope] = verdict(outcomes) if outcomes or scope == "verdict" else ""
            if scope == "verdict":
                row |= {name: outcomes.count(name) for name in OUTCOMES}
        table.append(row)
    return pd.DataFrame(table)
