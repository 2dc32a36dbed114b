"""The command line: ``cbkit --help``, or ``python -m cbkit --help``."""

import argparse
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    return options.command(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cbkit", description="The workbook on contextual bandits: data and runs."
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    init = commands.add_parser("init", help="copy the notebooks to a folder, to run and change")
    init.add_argument("folder", metavar="FOLDER", help="made if it is missing")
    init.set_defaults(command=_init)

    datasets = commands.add_parser("datasets", help="list the data sets and whether they are here")
    datasets.set_defaults(command=_datasets)

    fetch = commands.add_parser("fetch", help="download data sets")
    fetch.add_argument("names", nargs="+", metavar="NAME", help="see `cbkit datasets`")
    fetch.set_defaults(command=_fetch)

    run = commands.add_parser("run", help="run the notebooks, in order")
    run.add_argument(
        "--profile", default="demo", help="a file in notebooks/params: demo (default) or paper"
    )
    run.add_argument(
        "--notebook",
        action="append",
        default=[],
        metavar="ID",
        help="run only this notebook, such as 02_baselines or 02; may be repeated",
    )
    run.add_argument(
        "-p",
        nargs=2,
        action="append",
        default=[],
        dest="parameters",
        metavar=("NAME", "VALUE"),
        help="set a notebook parameter; may be repeated",
    )
    run.set_defaults(command=_run)

    results = commands.add_parser(
        "results", help="run the paper profile and rewrite data/results and figures/paper"
    )
    results.add_argument(
        "study",
        nargs="?",
        default="",
        metavar="STUDY",
        help="such as evaluation or evaluation/bibtex",
    )
    results.add_argument(
        "--dry-run", action="store_true", help="print the estimated CPU hours and run nothing"
    )
    results.set_defaults(command=_results)

    figures = commands.add_parser("figures", help="draw figures from the committed tables")
    figures.add_argument(
        "study",
        nargs="?",
        default="",
        metavar="STUDY",
        help="such as evaluation or evaluation/bibtex",
    )
    figures.add_argument(
        "--format",
        action="append",
        default=[],
        dest="formats",
        choices=["png", "pdf", "svg"],
        help="may be repeated; pdf by default",
    )
    figures.add_argument(
        "--committed", action="store_true", help="rewrite the pictures in figures/paper instead"
    )
    figures.set_defaults(command=_figures)

    experiment = commands.add_parser("experiment", help="run a grid of policies and data sets")
    experiment.add_argument("config", metavar="CONFIG.yaml", help="what to run")
    experiment.set_defaults(command=_experiment)
    return parser


# Each command imports what it needs when it runs, so that none waits for the packages of another.


def _init(options: argparse.Namespace) -> int:
    from cbkit.workbook.start import copy_notebooks

    try:
        notebooks = copy_notebooks(options.folder)
    except OSError as error:
        return _refuse(error)
    print(f"{len(notebooks)} notebooks are in {notebooks[0].parent}; go to {options.folder} and")
    print("write `cbkit run` to run them all, or open them with `jupyter lab notebooks`")
    return 0


def _datasets(options: argparse.Namespace) -> int:
    from cbkit.datasets import dataset_table

    table = dataset_table().reset_index().astype(object)
    table = table.where(table.notna(), "-")
    print(table.to_string(index=False, float_format="{:.2f}".format))
    print("\nAbsent ones: python -m cbkit fetch NAME, or name their folder in CBKIT_DATA.")
    return 0


def _fetch(options: argparse.Namespace) -> int:
    from cbkit.datasets import FetchError, fetch

    code = 0
    for name in options.names:
        try:
            fetch(name)
        except (FetchError, ValueError) as error:
            code = _refuse(error)
    return code


def _run(options: argparse.Namespace) -> int:
    from cbkit.workbook.profiles import ProfileError, plan
    from cbkit.workbook.run import run_notebooks

    overrides = dict(options.parameters)
    try:
        runs = plan(options.profile, notebooks=options.notebook, overrides=overrides)
        return run_notebooks(overrides.get("profile", options.profile), runs)
    except (ProfileError, OSError) as error:
        return _refuse(error)


def _results(options: argparse.Namespace) -> int:
    from cbkit.workbook.profiles import ProfileError
    from cbkit.workbook.publish import make_results

    try:
        return make_results(options.study, dry_run=options.dry_run)
    except (ProfileError, OSError) as error:
        return _refuse(error)


def _figures(options: argparse.Namespace) -> int:
    from cbkit.paths import figures_dir
    from cbkit.workbook.profiles import ProfileError
    from cbkit.workbook.publish import draw_figures, refuse_unless_checkout

    try:
        if options.committed:
            refuse_unless_checkout()
            files = draw_figures(options.study, folder=figures_dir())
        else:
            files = draw_figures(options.study, formats=options.formats or ["pdf"])
    except (ProfileError, OSError) as error:
        return _refuse(error)
    print(f"{len(files)} figures in {files[0].parent.parent if files else 'no folder'}")
    return 0


def _experiment(options: argparse.Namespace) -> int:
    from cbkit.experiments.run import run_config

    return run_config(options.config)


def _refuse(error: Exception) -> int:
    print(f"cbkit: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
