"""Look into a chooser round by round: its threshold, and what it explores instead."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from cbkit.datasets import MultilabelDataset
from cbkit.plots.style import LINESTYLES
from cbkit.policies.choosers.chooser import Chooser
from cbkit.policies.choosers.exploration import ActiveExplore, Context
from cbkit.policies.policy import Policy
from cbkit.simulate import simulate
from cbkit.studies.noted import Noted

EXPLOITED, EXPLORED, COLD = "#56B4E9", "#D55E00", "#BDBDBD"


def best_and_threshold(
    chooser: Chooser, values: np.ndarray, context: Context
) -> tuple[float, float]:
    """Return the highest value and the chooser's threshold, NaN where it has none.

    Parameters
    ----------
    chooser : Chooser
        About to choose.
    values, context
        What it chooses from, as for `Chooser.choose`; the context is not looked at.

    Returns
    -------
    (float, float)
        What `Noted` takes as a note.
    """
    return float(values.max()), float(getattr(chooser, "threshold_", float("nan")))


def record_choices(
    policy: Policy, dataset: MultilabelDataset, *, seed: int, n_rounds: int, refit_every: int = 50
) -> pd.DataFrame:
    """Simulate a fresh policy and return its rounds with what its chooser saw.

    Parameters
    ----------
    policy : Policy
        Fresh; it has learned from the run afterwards, and its chooser is a `Noted` one.
    dataset, seed, refit_every
        As for `cbkit.simulate`.
    n_rounds : int
        Number of rounds, at most the number of rows.

    Returns
    -------
    DataFrame
        The rounds of the log, and per round ``best_index``, the highest index of all arms, and
        ``threshold``, NaN for choosers without one.
    """
    noted = policy.chooser = Noted(chooser=policy.chooser, note=best_and_threshold)
    log = simulate(policy, dataset, seed=seed, n_rounds=n_rounds, refit_every=refit_every)
    best, threshold = np.array(noted.notes).T
    return log.rounds.assign(best_index=best, threshold=threshold)


def threshold_trace(rounds: pd.DataFrame, ax: Axes, *, title: str = "") -> Axes:
    """Draw the best arm's index in each round, and the threshold that it has to pass.

    Parameters
    ----------
    rounds : DataFrame
        From `record_choices`.
    ax : Axes
    title : str, optional

    Returns
    -------
    Axes
    """
    for explored, colour, label in (
        (False, EXPLOITED, "best arm's index: exploited"),
        (True, EXPLORED, "best arm's index: explored instead"),
    ):
        part = rounds[rounds["explored"] == explored]
        points = part["round"], part["best_index"], "."
        ax.plot(*points, color=colour, markersize=2, rasterized=True, label=label)
    ax.plot(rounds["round"], rounds["threshold"], color="black", lw=1.5, label="threshold")
    ax.set(xlim=(0, len(rounds)), ylim=(0, 1), title=title)
    return ax


def explored_scatter(rounds: pd.DataFrame, ax: Axes, *, title: str = "") -> Axes:
    """Draw the index of each explored arm over that of the best arm of its round.

    Parameters
    ----------
    rounds : DataFrame
        From `record_choices`.
    ax : Axes
    title : str, optional

    Returns
    -------
    Axes
    """
    explored = rounds[rounds["explored"]]
    for cold, colour, label in (
        (True, COLD, "arm scored by the cold start"),
        (False, EXPLORED, "arm scored by its oracle"),
    ):
        part = explored[explored["cold_start"] == cold]
        points = part["best_index"], part["index"], "."
        ax.plot(*points, color=colour, markersize=4, rasterized=True, label=label)
    ax.plot([0, 1], [0, 1], color="black", lw=0.8, linestyle=":", label="explored the best arm")
    ax.axhline(0.5, color="black", lw=0.8, linestyle="--", label="1/2")
    ax.set(xlim=(0, 1), ylim=(-0.02, 1.02), title=title)
    return ax


def criterion_curves(criteria: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw what each active-learning criterion makes of an expected reward, for logistic oracles.

    Parameters
    ----------
    criteria : sequence of str
        Criteria of `cbkit.ActiveExplore`.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = plt.subplots(figsize=(6.5, 3.6))[1] if ax is None else ax
    reward = np.linspace(0, 1, 201)
    context = Context(np.zeros((1, 1)), 0)  # its [x, 1] has the norm 1
    curves = [ActiveExplore(criterion=name).usefulness(reward, context) for name in criteria]
    styles = [{"color": "black", "linestyle": LINESTYLES[i]} for i in range(len(criteria))]
    for useful, name, style in zip(curves, criteria, styles, strict=True):
        ax.plot(reward, useful, label=name, **style)
    ax.axvline(0.5, color=COLD, lw=1)
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="expected reward of the arm")
    ax.set_ylabel("criterion, per norm of [x, 1]")
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1), title="criterion")
    return ax


def panel_grid(n_rows: int, n_columns: int, *, x: str, y: str) -> np.ndarray:
    """Make axes that share their limits and their labels.

    Parameters
    ----------
    n_rows, n_columns : int
        Number of panels.
    x, y : str
        Labels of the whole figure's axes.

    Returns
    -------
    ndarray of Axes, shape (n_rows, n_columns)
    """
    size = 1.0 + 3.0 * n_columns, 1.2 + 2.5 * n_rows
    fig, axes = plt.subplots(
        n_rows, n_columns, figsize=size, sharex=True, sharey=True, squeeze=False
    )
    fig.supxlabel(x, size=10)
    fig.supylabel(y, size=10)
    return axes


def shared_legend(axes: np.ndarray) -> None:
    """Put one legend, of the first panel's marks, above all panels."""
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure = axes[0, 0].figure
    legend = figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    for handle in legend.legend_handles:
        handle.set_markersize(7)
