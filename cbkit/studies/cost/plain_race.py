"""The package against the loop that one would write without it: who takes how many CPU seconds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from cbkit.plots.dots import dots, marker_legend
from cbkit.studies.cost.costs import Contender, play
from cbkit.studies.cost.plain_loop import plain_loop

PLAIN, CAREFUL = "plain loop", "careful loop"
FORMS: dict[str, dict[str, Any]] = {PLAIN: {}, CAREFUL: {"by_block": True}}

# What was asked of the package before it was measured: the plain loop takes this much longer.
AIMS = {"Greedy": 10, "EpsilonGreedy": 10, "OnlineBootstrappedUCB": 15, "BootstrappedUCB": 5}


def contenders(*, n_rounds: int | None = None, n_resamples: int = 10) -> dict[str, Contender]:
    """Return the policies of `AIMS`, and the plain and careful loops that do the same work.

    The loops have fresh multinomial weights alone; OnlineBootstrappedUCB, which keeps its weights,
    is compared with these as well. EpsilonGreedy does not let its 20% decay, as the loops do not.

    Examples
    --------
    >>> list(contenders())[:3]
    ['Greedy', 'plain loop as Greedy', 'careful loop as Greedy']
    """
    resamples = {"n_resamples": n_resamples}
    parameters: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
        "Greedy": ({}, {}),
        "EpsilonGreedy": ({"decay": 1.0}, {"explore_probability": 0.2}),
        "OnlineBootstrappedUCB": (resamples, None),
        "BootstrappedUCB": (resamples, resamples),
    }
    found: dict[str, Contender] = {}
    for policy, (own, loop) in parameters.items():
        found[policy] = partial(play, policy=policy, n_rounds=n_rounds, **own)
        if loop is not None:
            for form, how in FORMS.items():
                found[f"{form} as {policy}"] = partial(plain_loop, n_rounds=n_rounds, **how, **loop)
    return found


def without_the_slowest(found: dict[str, Contender]) -> dict[str, Contender]:
    """Leave out the plain loop with resamples, which takes longer than all others together.

    Examples
    --------
    >>> set(contenders()) - set(without_the_slowest(contenders()))
    {'plain loop as BootstrappedUCB'}
    """
    return {label: run for label, run in found.items() if label != f"{PLAIN} as BootstrappedUCB"}


def pairs() -> list[tuple[str, str]]:
    """Return who is compared with whom: each policy with the loops of its kind."""
    kept, fresh = "OnlineBootstrappedUCB", "BootstrappedUCB"
    same = {policy: fresh if policy == kept else policy for policy in AIMS}
    return [(policy, f"{form} as {same[policy]}") for policy in AIMS for form in FORMS]


def ratios(table: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Divide what slower contenders take by what faster ones take, on the seeds both have.

    Parameters
    ----------
    table : DataFrame
        From `race`.
    pairs : sequence of (fast, slow)
        Labels of contenders.

    Returns
    -------
    DataFrame
        Per pair: ``fast``, ``slow``, mean ``fast_seconds`` and ``slow_seconds``, ``ratio`` of these
        two, ``lowest`` and ``highest`` ratio of a seed, ``ratio_per_refit`` of the seconds per
        refit, and ``n``. Contenders that draw differently choose differently and refit more or
        less often: the last ratio takes that out.

    Examples
    --------
    >>> table = pd.DataFrame({"contender": ["a", "b"], "seed": 0, "seconds": [1.0, 6.0]})
    >>> ratios(table.assign(n_refits=[10, 20]), [("a", "b")])[["ratio", "ratio_per_refit"]]
       ratio  ratio_per_refit
    0    6.0              3.0
    """
    rows = []
    runs = {label: part.set_index("seed") for label, part in table.groupby("contender")}
    for fast, slow in pairs:
        shared = runs[fast].index.intersection(runs[slow].index)
        if shared.empty:
            raise ValueError(
                f"{fast} and {slow} share no seed, they have {runs[fast].index.tolist()} and "
                f"{runs[slow].index.tolist()}; run both in the same race"
            )
        one, other = runs[fast].loc[shared], runs[slow].loc[shared]
        by_seed = other["seconds"] / one["seconds"]
        means = one[["seconds", "n_refits"]].mean(), other[["seconds", "n_refits"]].mean()
        ratio = means[1]["seconds"] / means[0]["seconds"]
        rows.append(
            {
                "fast": fast,
                "slow": slow,
                "fast_seconds": means[0]["seconds"],
                "slow_seconds": means[1]["seconds"],
                "ratio": ratio,
                "lowest": by_seed.min(),
                "highest": by_seed.max(),
                "ratio_per_refit": ratio * means[0]["n_refits"] / means[1]["n_refits"],
                "n": len(by_seed),
            }
        )
    return pd.DataFrame(rows)


def ratio_dots(table: pd.DataFrame) -> Figure:
    """Draw how much longer the loops take than each policy, beside the target.

    Parameters
    ----------
    table : DataFrame
        From `race`, of `contenders`.

    Returns
    -------
    Figure
    """
    found = ratios(table, pairs())
    careful = found["slow"].str.startswith(CAREFUL)
    found["form"] = careful.map({True: CAREFUL, False: PLAIN})
    fig, ax = plt.subplots(figsize=(7.5, 3.2))
    columns: dict[str, Any] = {"mean": "ratio", "low": "lowest", "high": "highest"}
    dots(found, ax, **columns, row="fast", hue="form")
    for height, policy in enumerate(found["fast"].unique()):
        aim = AIMS[policy]
        ax.plot([aim, aim], [height - 0.35, height + 0.35], color="black", lw=1.5)
    marker_legend(ax, list(FORMS))
    ax.set_xlim(left=0)
    low, high = found["n"].min(), found["n"].max()
    n = f"n = {low}" + (f" to {high}" if high > low else "")
    ax.set_xlabel(
        "CPU seconds of the loop over those of the policy; black: the target\n"
        f"lines: lowest to highest seed, {n}"
    )
    return fig
