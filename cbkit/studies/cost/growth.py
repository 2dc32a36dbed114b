"""How the costs of a policy grow with rounds, arms, features and resamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from cbkit.datasets import load_dataset
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.plots.style import line_style, looks
from cbkit.policies.registry import policy_parameters
from cbkit.studies.cost.costs import play, race

COSTS = {"seconds": "CPU seconds per run", "policy_mb": "size of the policy, MB"}


def resized(dataset: MultilabelDataset, axis: str, size: int) -> MultilabelDataset:
    """Keep `size` random arms or features of a data set, the same ones each time.

    Parameters
    ----------
    dataset : MultilabelDataset
        Left as it is.
    axis : {"arms", "features"}
        What there is to be less of.
    size : int
        How many to keep, at most all of them.

    Returns
    -------
    MultilabelDataset
        With all rows.

    Raises
    ------
    ValueError
        If there is no such axis.

    Examples
    --------
    >>> from cbkit import load_dataset
    >>> resized(load_dataset("digits"), "features", 32).n_features
    32
    """
    if axis == "arms":
        return dataset.subset_arms(size, 0)
    if axis != "features":
        raise ValueError(f"axis must be arms or features, got {axis!r}")
    kept = np.sort(np.random.default_rng(0).choice(dataset.n_features, size=size, replace=False))
    return MultilabelDataset.from_arrays(
        dataset.features[:, kept], dataset.labels, name=f"{dataset.name}[features={size}]"
    )


def growth(
    dataset: str,
    policies: Sequence[str],
    sizes: Mapping[str, Sequence[int]],
    *,
    seeds: Sequence[int],
    n_rounds: int | None = None,
) -> pd.DataFrame:
    """Compute how costs grow along one axis at a time, everything else at its full size.

    Parameters
    ----------
    dataset : str
        Name for `load_dataset`.
    policies : sequence of str
        Names of `policy_names`.
    sizes : mapping of str to sequence of int
        Sizes along "rounds", "arms", "features" and "resamples"; the last for policies that have
        resamples.
    seeds : sequence of int
    n_rounds : int, optional
        Rounds per run where they do not grow; by default all rows.

    Returns
    -------
    DataFrame
        ``axis``, ``size``, ``policy``, then as from `race`.
    """
    whole, parts = load_dataset(dataset), []
    for axis, values in sizes.items():
        for size in values:
            data = resized(whole, axis, size) if axis in ("arms", "features") else whole
            keywords: dict[str, Any] = {"n_rounds": size if axis == "rounds" else n_rounds}
            taking_part = list(policies)
            if axis == "resamples":
                keywords["n_resamples"] = size
                taking_part = [p for p in policies if "n_resamples" in policy_parameters(p)]
            contenders = {name: partial(play, policy=name, **keywords) for name in taking_part}
            table = race(data, contenders, seeds).rename(columns={"contender": "policy"})
            table.insert(0, "axis", axis)
            table.insert(1, "size", size)
            parts.append(table)
    return pd.concat(parts, ignore_index=True)


def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """Fit ``cost ~ size ** exponent`` by least squares on logarithms, over all sizes and seeds.

    Parameters
    ----------
    table : DataFrame
        From `growth`.

    Returns
    -------
    DataFrame
        Per ``axis`` and ``policy`` the exponents of the columns of `COSTS`.

    Examples
    --------
    >>> table = pd.DataFrame({"axis": "arms", "policy": "Greedy", "size": [1, 10, 100]})
    >>> exponents(table.assign(seconds=[1, 10, 100], policy_mb=2.0)).round(1)
                  seconds  policy_mb
    axis policy
    arms Greedy       1.0        0.0
    """
    rows = {}
    for key, part in table.groupby(["axis", "policy"], sort=False):
        size = np.log(part["size"].to_numpy(dtype=float))
        logs = np.log(part[list(COSTS)].to_numpy(dtype=float))
        rows[key] = dict(zip(COSTS, np.polyfit(size, logs, 1)[0], strict=True))
    fitted = pd.DataFrame(rows).T
    return fitted.rename_axis(["axis", "policy"])


def growth_panels(table: pd.DataFrame) -> Figure:
    """Draw costs over sizes, both logarithmic, a column per axis; dots are seeds.

    Parameters
    ----------
    table : DataFrame
        From `growth`.

    Returns
    -------
    Figure
    """
    names = list(table["axis"].unique())
    size = (1.5 + 2.7 * len(names), 5.8)
    shape: dict[str, Any] = {"figsize": size, "sharex": "col", "sharey": "row"}
    fig, axes = plt.subplots(len(COSTS), len(names), **shape, squeeze=False)
    policies = list(table["policy"].unique())
    styles = looks(policies)
    palette = {name: look["color"] for name, look in styles.items()}
    dashes = {name: look["dashes"] for name, look in styles.items()}
    for name, column in zip(names, axes.T, strict=True):
        part = table[table["axis"] == name]
        sizes = sorted(part["size"].unique())
        for cost, ax in zip(COSTS, column, strict=True):
            shared = {"x": "size", "y": cost, "hue": "policy", "palette": palette, "ax": ax}
            shared |= {"hue_order": policies, "legend": False}
            sns.scatterplot(part, **shared, s=14, alpha=0.6)
            sns.lineplot(part, **shared, style="policy", dashes=dashes, errorbar=None)
            ax.set(xscale="log", yscale="log", xlabel=name, ylabel=COSTS[cost])
            ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
            ax.minorticks_off()
            ax.label_outer()
    for ax in axes[:, 0]:
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter("{x:g}")
    fig.supxlabel(f"dots: seeds, n = {table['seed'].nunique()}; lines: their means", size=10)
    handles = [Line2D([], [], **line_style(styles[name])) for name in policies]
    fig.legend(handles, policies, loc="outside upper center", ncols=4)
    return fig
