"""Record a chooser round by round: its threshold, and what it explores instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from cbkit.datasets import MultilabelDataset
from cbkit.experiments.stats import holm, paired_differences
from cbkit.plots.dots import difference_dots
from cbkit.plots.style import GREY
from cbkit.policies.choosers.chooser import Choice, Chooser
from cbkit.policies.choosers.exploration import ActiveExplore, Context
from cbkit.policies.policy import Policy
from cbkit.simulate import simulate

# An active policy, and the one that explores as often, but at random.
AT_RANDOM = {
    "ActiveExplorer": "EpsilonGreedy",
    "ActiveAdaptiveGreedy": "ContextualAdaptiveGreedy2",
}
Traces = Mapping[tuple[str, str], pd.DataFrame]
EXPLOITED, EXPLORED, COLD = "#56B4E9", "#D55E00", "#BDBDBD"


@dataclass(kw_only=True)
class Noted:
    """A chooser that takes a note before each choice.

    Parameters
    ----------
    chooser : Chooser
        The one that chooses.
    note : callable
        ``note(chooser, values, context)`` returns a tuple of numbers.

    Attributes
    ----------
    notes : list of tuple
        One per round played.

    Examples
    --------
    >>> from cbkit.policies.choosers.chooser import HighestValue
    >>> def best_value(chooser, values, context):
    ...     return (values.max(),)
    >>> chooser = Noted(chooser=HighestValue(), note=best_value)
    >>> chooser.choose(np.array([0.1, 0.5]), None, np.random.default_rng(0)).arm
    1
    >>> [float(best) for (best,) in chooser.notes]
    [0.5]
    """

    chooser: Chooser
    note: Callable[[Chooser, np.ndarray, Context], tuple[float, ...]]
    notes: list[tuple[float, ...]] = field(default_factory=list, init=False)

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Record what there is to choose from, then choose.

        Parameters as for `Chooser.choose`.
        """
        self.notes.append(self.note(self.chooser, values, context))
        return self.chooser.choose(values, context, rng)

    def drop_arm(self, arm: int) -> None:
        """Drop an arm from a chooser that knows of arms."""
        if hasattr(self.chooser, "drop_arm"):
            self.chooser.drop_arm(arm)


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


def threshold_panels(traces: Traces, *, seed: int) -> Figure:
    """Draw the best arm's index in each round and the threshold that it has to pass.

    Parameters
    ----------
    traces : mapping of (prior, chooser) to DataFrame
        From `record_choices`; a row of panels per prior.
    seed : int
        What to call the run.

    Returns
    -------
    Figure
    """
    fig, axes = _panels(traces, f"round of one run (seed {seed})", "index of the best arm")
    for (key, rounds), ax in zip(traces.items(), axes.flat, strict=True):
        for explored, colour, label in (
            (False, EXPLOITED, "best arm's index: exploited"),
            (True, EXPLORED, "best arm's index: explored instead"),
        ):
            part = rounds[rounds["explored"] == explored]
            points = part["round"], part["best_index"], "."
            ax.plot(*points, color=colour, markersize=2, rasterized=True, label=label)
        ax.plot(rounds["round"], rounds["threshold"], color="black", lw=1.5, label="threshold")
        ax.set(xlim=(0, len(rounds)), ylim=(0, 1), title=", ".join(key[::-1]))
    return _with_legend(fig, axes)


def explored_panels(traces: Traces) -> Figure:
    """Draw the index of each explored arm over that of the best arm of its round.

    Parameters
    ----------
    traces : mapping of (prior, chooser) to DataFrame
        The explored rounds of `record_choices`; a row of panels per prior.

    Returns
    -------
    Figure
    """
    fig, axes = _panels(traces, "index of the best arm", "index of the explored arm")
    for (key, explored), ax in zip(traces.items(), axes.flat, strict=True):
        for cold, colour, label in (
            (True, COLD, "arm scored by the cold start"),
            (False, EXPLORED, "arm scored by its oracle"),
        ):
            part = explored[explored["cold_start"] == cold]
            points = part["best_index"], part["index"], "."
            ax.plot(*points, color=colour, markersize=4, rasterized=True, label=label)
        ax.plot([0, 1], [0, 1], color="black", lw=0.8, linestyle=":", label="explored the best arm")
        ax.axhline(0.5, color="black", lw=0.8, linestyle="--", label="1/2")
        ax.set(xlim=(0, 1), ylim=(-0.02, 1.02), title=", ".join(key[::-1]))
    return _with_legend(fig, axes)


def _panels(traces: Traces, x: str, y: str) -> tuple[Figure, np.ndarray]:
    n_rows = len({prior for prior, _ in traces})
    n_columns = len(traces) // n_rows
    size = (1.0 + 3.0 * n_columns, 1.2 + 2.5 * n_rows)
    fig, axes = plt.subplots(
        n_rows, n_columns, figsize=size, sharex=True, sharey=True, squeeze=False
    )
    fig.supxlabel(x, size=10)
    fig.supylabel(y, size=10)
    return fig, axes


def _with_legend(fig: Figure, axes: np.ndarray) -> Figure:
    """Draw one legend, of the first panel's marks, above all panels."""
    handles, labels = axes[0, 0].get_legend_handles_labels()
    legend = fig.legend(handles, labels, loc="outside upper center", ncols=4)
    for line in legend.get_lines():
        line.set_markersize(7)
    return fig


def picks_table(picked: Traces) -> pd.DataFrame:
    """Return what the exploring rounds of each run picked.

    Parameters
    ----------
    picked : mapping of (prior, way to explore) to DataFrame
        The explored rounds of `record_choices`.

    Returns
    -------
    DataFrame
        Per prior and way: number of exploring rounds, percent that picked the best arm and an arm
        in its cold start, median index and mean reward of the picked arms.
    """
    facts = {
        key: {
            "exploring rounds": len(rounds),
            "best arm (%)": 100 * (rounds["index"] == rounds["best_index"]).mean(),
            "cold arm (%)": 100 * rounds["cold_start"].mean(),
            "median index": rounds["index"].median(),
            "mean reward": rounds["reward"].mean(),
        }
        for key, rounds in picked.items()
    }
    return pd.DataFrame(facts).T.rename_axis(["prior", "explores"])


def criterion_curves(criteria: Sequence[str] = ("weighted", "min", "max")) -> Figure:
    """Draw what each active-learning criterion makes of an expected reward, for logistic oracles.

    Parameters
    ----------
    criteria : sequence of str
        Criteria of `cbkit.ActiveExplore`.

    Returns
    -------
    Figure
    """
    reward = np.linspace(0, 1, 201)
    context = Context(np.zeros((1, 1)), 0)  # its [x, 1] has the norm 1
    curves = pd.concat(
        pd.DataFrame(
            {
                "criterion": name,
                "reward": reward,
                "useful": ActiveExplore(criterion=name).usefulness(reward, context),
            }
        )
        for name in criteria
    )
    fig, ax = plt.subplots(figsize=(6.5, 3.2))
    sns.lineplot(curves, x="reward", y="useful", hue="criterion", style="criterion", ax=ax)
    ax.axvline(0.5, color=GREY, lw=1)
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="expected reward of the arm")
    ax.set_ylabel("criterion, per norm of [x, 1]")
    sns.move_legend(ax, "upper left", bbox_to_anchor=(1, 1))
    return fig


def against_random(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare active exploration with exploring at random in the same rounds.

    Parameters
    ----------
    finals : DataFrame
        One row per run, with ``algorithm`` and ``explores``, what an exploring round looks for.

    Returns
    -------
    DataFrame
        As from `paired_differences`, corrected for all comparisons of the table.
    """
    parts = []
    for active, at_random in AT_RANDOM.items():
        reference = finals.loc[finals["algorithm"] == at_random, "policy"].iloc[0]
        group = finals[finals["algorithm"].isin([active, at_random])]
        parts.append(paired_differences(group, reference))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(p_holm=holm(table["p_t"]), reference="the same with random exploration")


def random_differences(finals: pd.DataFrame) -> Figure:
    """Draw what active exploration earns more than random one, see `against_random`."""
    return difference_dots(against_random(finals))
