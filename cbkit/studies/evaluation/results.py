"""The committed results of the paper's evaluation, one set of tables per data set."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.datasets.presets import PLANTED_NAMES
from cbkit.experiments.results import CPU_SECONDS, RUN, Results
from cbkit.experiments.tasks import RESULT_VERSION
from cbkit.paths import output_root, results_dir

COMMAND = "python -m cbkit run --profile paper --notebook 06_evaluation -p dataset {}"
_EVERY = 4  # of the 200 points of a curve, what is committed
_KINDS = {"finals": "csv", "curves": "parquet"}
_ORIGIN = ["dataset", "planted", "provenance", "checksum", "n_arms", "n_rounds", "refit_every"]
_ORIGIN += ["n_replicates", "first_seed", "n_runs", "cpu_seconds", "cbkit", "result_version"]
_ORIGIN += ["command"]


def is_planted(name: str) -> bool:
    """Say whether a data set, or the one that it is a subset of, was generated, not observed.

    Examples
    --------
    >>> is_planted("mediamill-like"), is_planted("bibtex-like[arms=40]"), is_planted("bibtex")
    (True, True, False)
    """
    return name.partition("[")[0] in PLANTED_NAMES


def title_of(name: str) -> str:
    """Name a data set for figures and tables, so that nobody takes a planted one for the real one.

    Examples
    --------
    >>> title_of("bibtex"), title_of("mediamill-like")
    ('bibtex', 'mediamill-like (planted; stands in for mediamill)')
    """
    if not is_planted(name):
        return name
    real = name.replace("-like", "")
    return f"{name} (planted; stands in for {real})" if real != name else f"{name} (planted)"


def extent_of(n_rounds: int, n_rows: int) -> str:
    """Start a figure's second line with the rounds played, where these are not all (0 is all).

    Examples
    --------
    >>> extent_of(5000, 16105), extent_of(0, 16105), extent_of(16105, 16105)
    ('first 5,000 of 16,105 rounds, ', '', '')
    """
    return f"first {n_rounds:,} of {n_rows:,} rounds, " if 0 < n_rounds < n_rows else ""


def publish(results: Results, dataset: MultilabelDataset) -> list[Path]:
    """Write what is committed of an evaluation: final rewards, thinned curves and their origin.

    They go to ``data/results``: ``evaluation_<dataset>_finals.csv``,
    ``evaluation_<dataset>_curves.parquet`` and the data set's row of
    ``evaluation_provenance.csv``.

    Parameters
    ----------
    results : Results
        Of one data set, without failures.
    dataset : MultilabelDataset

    Returns
    -------
    list of Path
        The three files.
    """
    if len(results.failures):
        raise ValueError(
            f"{len(results.failures)} runs on {dataset.name} failed; run them again before "
            "publishing, failures are in Results.failures"
        )
    names = list(results.finals["dataset"].unique())
    if names != [dataset.name]:
        raise ValueError(f"the results are of {names}, the data set is {dataset.name!r}")
    folder = output_root() / "data" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"evaluation_{dataset.name}_{kind}.{end}" for kind, end in _KINDS.items()]
    spent = results.timings.set_index(list(RUN))[list(CPU_SECONDS)].sum(axis=1)
    finals = results.finals.drop(columns="error").join(spent.rename("cpu_seconds"), on=RUN)
    finals.to_csv(files[0], index=False, float_format="%.6g", lineterminator="\n")
    _thinned(results.curves).to_parquet(files[1], index=False, compression="zstd")
    provenance = folder / "evaluation_provenance.csv"
    row = pd.DataFrame([_origin(results, dataset)], columns=_ORIGIN)
    if provenance.exists():
        others = pd.read_csv(provenance, dtype=str)
        row = pd.concat([others[others["dataset"] != dataset.name], row.astype(str)])
    row.sort_values("dataset").to_csv(provenance, index=False, lineterminator="\n")
    return [*files, provenance]


def _thinned(curves: pd.DataFrame) -> pd.DataFrame:
    """Every fourth point of each curve, the last among them, in few bytes."""
    from_end = curves.groupby(list(RUN), sort=False).cumcount(ascending=False)
    table = curves[from_end % _EVERY == 0].astype({"seed": np.int32, "round": np.int32})
    for column in ("dataset", "variant", "policy"):
        table[column] = pd.Categorical(table[column], categories=table[column].unique())
    for column in ("mean_reward", "explored_share"):
        table[column] = table[column].round(4).astype(np.float32)
    return table


def _origin(results: Results, dataset: MultilabelDataset) -> dict[str, object]:
    """How the tables of a data set came about."""
    finals = results.finals
    return {
        "dataset": dataset.name,
        "planted": is_planted(dataset.name),
        "provenance": dataset.provenance,
        "checksum": dataset.checksum,
        "n_arms": dataset.n_arms,
        "n_rounds": finals["n_rounds"].max(),
        "refit_every": finals["refit_every"].max(),
        "n_replicates": finals["seed"].nunique(),
        "first_seed": finals["seed"].min(),
        "n_runs": results.timings["task"].nunique(),
        "cpu_seconds": round(results.cpu_seconds),
        "cbkit": version("cbkit"),
        "result_version": RESULT_VERSION,
        "command": COMMAND.format(dataset.name),
    }


def published_datasets() -> list[str]:
    """Return the data sets whose evaluation is committed, the real ones first."""
    found = results_dir().glob("evaluation_*_finals.csv")
    names = [path.stem.removeprefix("evaluation_").removesuffix("_finals") for path in found]
    return sorted(names, key=lambda name: (is_planted(name), name))


def load_evaluation(kind: str = "finals") -> pd.DataFrame:
    """Read the committed tables of all data sets as one.

    Parameters
    ----------
    kind : {"finals", "curves", "provenance"}, default="finals"

    Returns
    -------
    DataFrame
        As in `Results`, finals with ``cpu_seconds`` per run; no rows where nothing is committed.
    """
    if kind == "provenance":
        path = results_dir() / "evaluation_provenance.csv"
        return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=_ORIGIN)
    if kind not in _KINDS:
        raise ValueError(f"kind must be finals, curves or provenance, got {kind!r}")
    read = pd.read_csv if _KINDS[kind] == "csv" else pd.read_parquet
    files = [
        results_dir() / f"evaluation_{name}_{kind}.{_KINDS[kind]}" for name in published_datasets()
    ]
    tables = [read(path).astype({"policy": str, "variant": str, "dataset": str}) for path in files]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=RUN)
