"""Result tables over policies and datasets, as DataFrame, Markdown and LaTeX."""

from __future__ import annotations

import pandas as pd

from cbkit.experiments.stats import intervals, keys_of


def average_ranks(finals: pd.DataFrame, value: str = "mean_reward") -> pd.DataFrame:
    """Rank the policies by their mean on each dataset (1 is best) and average the ranks.

    Returns
    -------
    DataFrame
        One row per policy, best first; one column per dataset (and variant), then ``average``.

    Examples
    --------
    >>> finals = pd.DataFrame(
    ...     {"dataset": ["d", "d"], "policy": ["A", "B"], "seed": 0, "mean_reward": [0.1, 0.2]}
    ... )
    >>> average_ranks(finals)["average"].to_dict()
    {'B': 1.0, 'A': 2.0}
    """
    means = by_dataset(intervals(finals, keys_of(finals), value), "mean")
    absent = means.isna().stack()
    if absent.any():
        policy, column = absent[absent].index[0]
        raise ValueError(
            f"average ranks need every policy on every dataset; {policy} has no run on {column}"
        )
    ranks = means.rank(ascending=False)
    return ranks.assign(average=ranks.mean(axis=1)).sort_values("average", kind="stable")


def result_table(finals: pd.DataFrame, value: str = "mean_reward", digits: int = 3) -> pd.DataFrame:
    """Return mean and half width of the 95% t interval per policy and dataset, as text.

    Parameters
    ----------
    finals : DataFrame
        One row per run: ``dataset``, ``policy``, ``seed``, `value`, and ``variant`` where there are
        several.
    value : str, default="mean_reward"
    digits : int, default=3
        Decimals.

    Returns
    -------
    DataFrame
        One row per policy, one column per dataset (and variant). The number of replicates is in
        the column's name, or in each cell where it differs; one replicate has no interval.

    Raises
    ------
    ValueError
        If a run has no `value`, or a replicate is there twice.

    Examples
    --------
    >>> finals = pd.DataFrame(
    ...     {"dataset": "demo", "policy": "Greedy", "seed": [0, 1], "mean_reward": [0.2, 0.21]}
    ... )
    >>> result_table(finals)
             demo (n = 2)
    policy
    Greedy  0.205 ± 0.064
    """
    table = intervals(finals, keys_of(finals), value)
    counts = table.groupby(_columns(table))["n"].transform("nunique")
    means = table["mean"].map(f"{{:.{digits}f}}".format)
    halves = (table["high"] - table["mean"]).map(f" ± {{:.{digits}f}}".format)
    text = means + halves.where(table["n"] > 1, " (no interval)")
    text += (" (n = " + table["n"].astype(str) + ")").where(counts > 1, "")
    table["text"] = text
    wide = by_dataset(table, "text").fillna("")
    n_of = by_dataset(table, "n")
    same = n_of.columns[n_of.nunique() == 1]
    return wide.rename(columns={name: f"{name} (n = {n_of[name].max():.0f})" for name in same})


def _columns(table: pd.DataFrame) -> list[str]:
    """What tells columns apart: the dataset, and the variant where there are several."""
    several = "variant" in table.columns and table["variant"].nunique() > 1
    return ["dataset", "variant"] if several else ["dataset"]


def by_dataset(table: pd.DataFrame, value: str) -> pd.DataFrame:
    """Return policies in rows, datasets in columns, both in order of appearance."""
    names = table[_columns(table)].astype(str).agg(", ".join, axis=1)
    wide = table.assign(column=names).pivot(index="policy", columns="column", values=value)
    wide = wide.reindex(index=table["policy"].unique(), columns=names.unique())
    return wide.rename_axis(columns=None)


def to_markdown(table: pd.DataFrame) -> str:
    """Write a table as Markdown, its index as the first column; words stand left, numbers right.

    Examples
    --------
    >>> frame = pd.DataFrame({"demo": ["0.2"]}, index=pd.Index(["Greedy"], name="policy"))
    >>> print(to_markdown(frame))
    | policy | demo |
    |:--|--:|
    | Greedy | 0.2 |
    """
    cells = _cells(table)
    columns = list(zip(*cells[1:], strict=True))[1:] or [()] * len(table.columns)
    sides = [":--" if any(map(str.isalpha, "".join(column))) else "--:" for column in columns]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    lines.insert(1, "|:--|" + "".join(f"{side}|" for side in sides))
    return "\n".join(lines)


def _cells(table: pd.DataFrame) -> list[list[str]]:
    """Head and rows of a table as text, its index in front."""
    head = [table.index.name or "", *table.columns]
    rows = table.reset_index().to_numpy().tolist()
    return [[str(cell) for cell in row] for row in [head, *rows]]


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


_LATEX = {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX |= {"±": r"$\pm$", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\^{}"}


def to_latex(table: pd.DataFrame, caption: str = "", *, label: str = "", digits: int = 3) -> str:
    r"""Write a table as a LaTeX ``table`` for the package booktabs, its index as the first column.

    Parameters
    ----------
    table : DataFrame
        Such as from `result_table` or `cbkit.experiments.stats.paired_differences`.
    caption : str, optional
        Stands as it is given, LaTeX's special characters escaped.
    label : str, optional
        For ``\ref``.
    digits : int, default=3
        Decimals of numbers that are not whole.

    Returns
    -------
    str

    Examples
    --------
    >>> frame = pd.DataFrame({"demo": [0.20051]}, index=pd.Index(["Greedy"], name="policy"))
    >>> print(to_latex(frame, "Mean reward.", label="tab:demo"))
    \begin{table}
    \centering
    \caption{Mean reward.}
    \label{tab:demo}
    \begin{tabular}{lr}
    \toprule
    policy & demo \\
    \midrule
    Greedy & 0.201 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    numbers = table.select_dtypes("float").columns
    rounded = table.astype(dict.fromkeys(numbers, object))
    for name in numbers:
        rounded[name] = table[name].map(f"{{:.{digits}f}}".format).where(table[name].notna(), "")
    if table.index.name is None and isinstance(table.index, pd.RangeIndex):
        rounded = rounded.set_index(rounded.columns[0])
    head, *rows = [" & ".join(map(_latex, cells)) + r" \\" for cells in _cells(rounded)]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            *([rf"\caption{{{_latex(caption)}}}"] if caption else []),
            *([rf"\label{{{label}}}"] if label else []),
            r"\begin{tabular}{l" + "r" * len(rounded.columns) + "}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )
