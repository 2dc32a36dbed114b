"""The package against the loop that one would write without it: who takes how many CPU seconds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cbkit.plots.style import colour_of
from cbkit.studies.cost.costs import Contender, play
from cbkit.studies.cost.plain_loop import plain_loop

PLAIN, CAREFUL = "plain loop", "careful loop"
FORMS = {PLAIN: {}, CAREFUL: {"by_block": True}}

# What was asked of the package before it was measured: the plain loop takes this much longer.
AIMS = {"Greedy": 10, "EpsilonGreedy": 10, "OnlineBootstrappedUCB": 15, "BootstrappedUCB": 5}
_MARKERS = {PLAIN: "o", CAREFUL: "s"}


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
    parameters = {
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


def ratio_dots(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw how much longer the loops take than each policy, beside the target.

    Parameters
    ----------
    table : DataFrame
        From `ratios`, of `pairs`.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = plt.subplots(figsize=(7.5, 3.4))[1] if ax is None else ax
    policies = list(table["fast"].unique())
    for height, policy in zip(range(len(policies))[::-1], policies, strict=True):
        for form, marker in _MARKERS.items():
            row = table[(table["fast"] == policy) & table["slow"].str.startswith(form)].iloc[0]
            at = height + (0.15 if form == PLAIN else -0.15)
            colour = colour_of(policy)
            ax.plot([row["lowest"], row["highest"]], [at, at], color=colour)
            face = colour if form == PLAIN else "white"
            ax.plot(row["ratio"], at, marker, color=colour, mfc=face)
        aim = AIMS[policy]
        ax.plot([aim, aim], [height - 0.35, height + 0.35], color="black", lw=1.5, label="target")
    grey = {"color": "#4D4D4D", "ls": ""}
    handles = [
        Line2D([], [], marker=marker, mfc=grey["color"] if form == PLAIN else "white", **grey)
        for form, marker in _MARKERS.items()
    ]
    handles.append(Line2D([], [], color="black"))
    labels = [*_MARKERS, "target"]
    ax.legend(handles, labels, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    ax.set_yticks(range(len(policies)), policies[::-1])
    ax.set_xlim(left=0)
    low, high = table["n"].min(), table["n"].max()
    n = f"n = {low}" + (f" to {high}" if high > low else "")
    ax.set_xlabel(
        f"CPU seconds of the loop over those of the policy\nlines: lowest to highest seed, {n}"
    )
    return ax


def ratio_reading(table: pd.DataFrame, *, judge: bool) -> list[str]:
    """Say for each policy what was found against both forms, and judge whether its aim was met."""
    lines = []
    for policy, aim in AIMS.items():
        rows = table[table["fast"] == policy].set_index("slow")
        plain = rows[rows.index.str.startswith(PLAIN)].iloc[0]
        careful = rows[rows.index.str.startswith(CAREFUL)].iloc[0]
        met = "met" if plain["ratio"] >= aim else "**not met**"
        verdict = f"; the target of {aim} times is {met}" if judge else ""
        found = [
            f"{r['ratio']:.1f} times ({r['lowest']:.1f} to {r['highest']:.1f}, n = {r['n']})"
            for r in (plain, careful)
        ]
        lines.append(
            f"{policy}: {plain['fast_seconds']:.2f} s. The plain loop takes "
            f"{plain['slow_seconds']:.1f} s, **{found[0]}** as long{verdict}. "
            f"The careful loop takes {careful['slow_seconds']:.1f} s, {found[1]}. Per "
            f"refit the ratios are {plain['ratio_per_refit']:.1f} and "
            f"{careful['ratio_per_refit']:.1f}."
        )
    return lines
