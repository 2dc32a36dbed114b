"""Grids of experiments: what is run, in parallel and resumable, and the tables of the results."""

from cbkit.experiments.experiment import Experiment
from cbkit.experiments.results import Results
from cbkit.experiments.run import read_config, run_config, run_experiment
from cbkit.experiments.stats import (
    holm,
    intervals,
    mean_interval,
    paired_difference,
    paired_differences,
)
from cbkit.experiments.tables import average_ranks, result_table, to_latex, to_markdown

__all__ = [
    "Experiment",
    "Results",
    "average_ranks",
    "holm",
    "intervals",
    "mean_interval",
    "paired_difference",
    "paired_differences",
    "read_config",
    "result_table",
    "run_config",
    "run_experiment",
    "to_latex",
    "to_markdown",
]
