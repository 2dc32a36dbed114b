"""Make the committed tables and figures: the only code that writes tracked files."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt

from cbkit.paths import figures_dir, is_checkout, outputs_dir, project_root, results_dir
from cbkit.plots.curves import use_style
from cbkit.workbook.gallery import GALLERY
from cbkit.workbook.notebook import save_figure
from cbkit.workbook.profiles import NotebookRun, ProfileError, instead, plan
from cbkit.workbook.run import run_notebooks
from cbkit.workbook.tables import copy_table, read_provenance, read_table, source_of

PROFILE = "paper"
RUN = "results"  # the run's own name, so that nothing of another run is published


def study_of(notebook: str) -> str:
    """Return the study of a notebook: its name without the number.

    Examples
    --------
    >>> study_of("06_evaluation")
    'evaluation'
    """
    return notebook.split("_", 1)[1]


def results_plan(asked: str = "") -> list[NotebookRun]:
    """Return the paper profile's runs of a study and data set, or all of them.

    Parameters
    ----------
    asked : str, optional
        A study, ``"evaluation"``, or one of its data sets, ``"evaluation/bibtex"``.

    Raises
    ------
    ProfileError
        If the paper profile has no such run.
    """
    runs = plan(PROFILE, overrides={"profile": RUN})
    study, _, dataset = asked.partition("/")
    of_study = [run for run in runs if study in ("", study_of(run.path.stem), run.path.stem)]
    if not of_study:
        known = sorted({study_of(run.path.stem) for run in runs})
        raise ProfileError(f"no study {study!r}; {instead(study, known)}")
    chosen = [run for run in of_study if dataset in ("", run.parameters.get("dataset"))]
    if not chosen:
        sets = sorted(
            str(run.parameters["dataset"]) for run in of_study if "dataset" in run.parameters
        )
        raise ProfileError(f"the results of {study} have no {dataset!r}; {instead(dataset, sets)}")
    return chosen


def estimate(runs: Sequence[NotebookRun]) -> dict[str, float]:
    """Return the CPU hours that each run took when it was last made, 0 where that is not known."""
    known = read_provenance(results_dir())
    known["cpu_hours"] = known["cpu_hours"].replace("", "0").astype(float)
    found = {}
    for run in runs:
        rows = known[known["study"] == study_of(run.path.stem)]
        if "dataset" in run.parameters and rows["dataset"].any():
            rows = rows[rows["dataset"] == run.parameters["dataset"]]
        found[run.name] = float(rows["cpu_hours"].sum())
    return found


def refuse_unless_checkout() -> None:
    """Raise a `ProfileError` where the committed files are those of an installed package."""
    if not is_checkout():
        raise ProfileError(
            f"{project_root()} belongs to an installed package and is not rewritten; run from a "
            "checkout, or write to outputs/: `cbkit run --profile paper`, `cbkit figures`"
        )


def make_results(asked: str = "", *, dry_run: bool = False) -> int:
    """Run the paper profile's notebooks and commit what they found to ``data`` and ``figures``.

    Experiments that were run before for the same are not run again, so that a stopped run goes on.

    Parameters
    ----------
    asked : str, optional
        As for `results_plan`.
    dry_run : bool, default=False
        Print what would run and how long it took last time, and run nothing.

    Returns
    -------
    int
        Exit code: 0, or 1 where a notebook failed; its results stay as they are.
    """
    runs = results_plan(asked)
    hours = estimate(runs)
    for name, spent in hours.items():
        print(f"{name:<50} " + (f"{spent:>8.3g} CPU hours" if spent else f"{'unknown':>8}"))
    n_unknown = sum(not spent for spent in hours.values())
    print(
        f"about {sum(hours.values()):.3g} CPU hours as of the last time"
        + (f", and those of {n_unknown} of {len(hours)} runs, unknown" if n_unknown else "")
    )
    print("rewrites data/results and figures/paper of these studies, which are tracked files")
    if dry_run:
        return 0
    refuse_unless_checkout()
    code = 0
    root = outputs_dir(RUN)
    for run in runs:
        for kind in ("tables", "figures"):  # what an earlier run left is not published
            shutil.rmtree(root / kind, ignore_errors=True)
        failed = run_notebooks(RUN, [run])
        code |= failed
        if not failed:
            _publish(root, study_of(run.path.stem))
    return code


def _publish(root: Path, study: str) -> None:
    for path in sorted((root / "tables" / study).glob("*.*")):
        copy_table(root / "tables", study, path.stem, results_dir())
    for path in sorted((root / "figures" / study).glob("*.png")):
        to = figures_dir() / study / path.name
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)


def draw_figures(
    asked: str = "", *, formats: Sequence[str] = ("png",), folder: Path | None = None
) -> list[Path]:
    """Draw the figures of committed tables again, without any run.

    Parameters
    ----------
    asked : str, optional
        A study, or a study and one of its data sets; all by default.
    formats : sequence of str, default=("png",)
        Endings, such as ``"pdf"``.
    folder : Path, optional
        Where they go, a folder per study; ``outputs/figures`` by default.

    Returns
    -------
    list of Path
        The files of the first format.

    Raises
    ------
    ProfileError
        If there is no such study, or nothing of it is drawn from tables.
    """
    study, _, dataset = asked.partition("/")
    if study and study not in GALLERY:
        raise ProfileError(f"no figures of {study!r}; {instead(study, GALLERY)}")
    folder = outputs_dir("figures") if folder is None else folder
    use_style()
    files = []
    for name in [study] if study else GALLERY:
        for figure, how in GALLERY[name].items():
            try:
                tables = [read_table(results_dir(), name, table) for table in how.tables]
            except FileNotFoundError as absent:
                print(f"{name}/{figure} is not drawn: {absent}; `make results` writes it")
                continue
            if dataset and how.by == "dataset":
                known = sorted(set(source_of(tables[0]["dataset"])))
                if dataset not in known:
                    raise ProfileError(f"no {dataset!r} in {name}; {instead(dataset, known)}")
            only = dataset if how.by == "dataset" else ""
            for picture, fig in how.figures(tables, figure, only):
                files.append(save_figure(folder / name, picture, fig, formats=formats))
                plt.close(fig)
    return files
