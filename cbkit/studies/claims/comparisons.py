"""One comparison: two sides of the same replicates, and the choice of a side on other ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from cbkit.experiments.stats import Interval, mean_interval
from cbkit.studies.evaluation.experiment import FIRST_SEED, PAPERS

SMALL = 0.05  # of the reference: within it from 0, two sides are equivalent


class UntestableError(Exception):
    """What a claim needs is not there; the message says what."""


def compare(
    table: pd.DataFrame,
    first: str | pd.Series,
    second: str | pd.Series,
    claimed: str,
    *,
    share: float = 0.0,
    **rest: Any,
) -> dict[str, Any]:
    """Compare values of the same replicates, those of seeds that have chosen nothing.

    Parameters
    ----------
    table : DataFrame
        From `by_seed`.
    first, second : str or Series
        Columns, or values by seed named as what they are. Seeds that one of the two lacks are left
        out.
    claimed, **rest
        As for `comparison`; ``who`` is the first's name by default.
    share : float, default=0
        Margin, as a share of the second's mean.

    Returns
    -------
    dict

    Examples
    --------
    >>> rewards = pd.DataFrame({"UCB": [0.3, 0.4], "Greedy": [0.2, 0.2]})
    >>> found = compare(rewards, "UCB", "Greedy", "above", question="minus Greedy")
    >>> round(found["difference"], 3), found["n"], found["who"]
    (0.15, 2, 'UCB')
    """
    sides = [values_of(table, [x])[x] if isinstance(x, str) else x for x in (first, second)]
    names = [side.name for side in sides]
    both = fresh(pd.concat(sides, axis=1, keys=["first", "second"]).dropna())
    if both.empty:
        raise UntestableError(f"{' and '.join(names)} share no replicate")
    reference = float(both["second"].mean())
    labels = {"who": names[0], "first": names[0], "second": names[1]} | rest
    interval = mean_interval(both["first"] - both["second"])
    return comparison(interval, claimed, reference=reference, margin=share * reference, **labels)


def comparison(
    interval: Interval,
    claimed: str,
    *,
    reference: float,
    margin: float = 0.0,
    small: float | None = None,
    setting: str = PAPERS,
    **labels: str,
) -> dict[str, Any]:
    """Return an interval of a difference and what is claimed of it.

    Parameters
    ----------
    interval : Interval
        Of first minus second.
    claimed : {"above", "below", "near"}
        That the difference is above `margin`, below minus `margin`, or within `small` from 0.
    reference : float
        What the difference is a share of, such as the second's mean reward.
    margin : float, default=0
    small : float, optional
        How far from 0 two sides are equivalent; by default `SMALL` of the reference.
    setting : str, default=PAPERS
        Other settings than the paper's are beside the verdict.
    **labels
        ``who`` has a mark of its own in figures, ``question``, and the names ``first``, ``second``.

    Returns
    -------
    dict
        Of `COMPARISON_COLUMNS` those that are known before the comparison is judged.
    """
    if claimed not in ("above", "below", "near"):
        raise ValueError(f"claimed must be above, below or near, got {claimed!r}")
    small = SMALL * abs(reference) if small is None else small
    found = {"difference": interval.mean, "low": interval.low, "high": interval.high}
    found |= {"n": interval.n, "reference": reference, "margin": margin, "small": small}
    return labels | found | {"claimed": claimed, "setting": setting}


def fresh(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of seeds that have chosen nothing; all, where none is of that kind."""
    kept = table[table.index >= FIRST_SEED]
    return kept if len(kept) else table


def elsewhere(table: pd.DataFrame, names: Sequence[str], *, worst: bool = False) -> pd.Series:
    """Return the column that is best on other replicates, for each of those to be compared.

    It is chosen on the seeds below `FIRST_SEED` where there are seeds on both sides of it, else
    for each replicate on all the others.

    Parameters
    ----------
    table : DataFrame
        From `by_seed`.
    names : sequence of str
        The columns to choose from.
    worst : bool, default=False
        Choose the one with the lowest mean.

    Returns
    -------
    Series
        Names of columns by seed, for `taken`.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [9.0, 0.0, 0.0], "b": [1.0, 1.0, 1.0]})
    >>> taken(table, elsewhere(table, ["a", "b"])).tolist()
    [1.0, 0.0, 0.0]
    """
    table = values_of(table, names).dropna()
    chooses = table.index < FIRST_SEED
    if chooses.any() and not chooses.all():
        others = pd.DataFrame([table[chooses].mean()] * (~chooses).sum(), table.index[~chooses])
    elif len(table) > 1:
        others = (table.sum() - table) / (len(table) - 1)
    else:
        raise UntestableError(f"{len(table)} replicates cannot choose among {', '.join(names)}")
    return others.idxmin(axis=1) if worst else others.idxmax(axis=1)


def taken(table: pd.DataFrame, names: pd.Series) -> pd.Series:
    """Return the values of the column named for each seed, called by the name that most have."""
    names = names[names.index.isin(table.index)]
    values = [table.at[seed, name] for seed, name in names.items()]
    return pd.Series(values, names.index, name=names.mode()[0])


def values_of(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return columns of a table, or say that there are no runs of them."""
    absent = [name for name in names if name not in table]
    if absent or not len(names):
        raise UntestableError(f"there are no runs of {', '.join(absent) or 'other policies'}")
    return table[list(names)]


def mean_of(table: pd.DataFrame, names: Sequence[str], label: str) -> pd.Series:
    """Return the mean over columns, replicate by replicate."""
    return values_of(table, names).mean(axis=1, skipna=False).rename(label)


def by_seed(runs: pd.DataFrame, columns: str, value: str = "mean_reward") -> pd.DataFrame:
    """Return a value of paired runs, a row per seed and a column per policy or variant.

    Raises
    ------
    ValueError
        If runs of one seed did not play the same rows in the same order, or a run is there twice.
    """
    names = [name for name in ("checksum", "n_rounds", "row_order") if name in runs]
    first = runs.groupby("seed")[names].transform("first")
    for name in names:
        differs = runs[name].notna() & (runs[name] != first[name])
        if differs.any():
            seed = runs["seed"][differs.idxmax()]
            raise ValueError(f"runs are not paired: their {name} differs at {seed}")
    return runs.pivot(index="seed", columns=columns, values=value)
