"""Play with a policy's constants: controls in JupyterLab, a figure and a table elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import display
from matplotlib.figure import Figure

from cbkit.experiments.experiment import Experiment
from cbkit.experiments.results import Results
from cbkit.experiments.run import run_experiment
from cbkit.plots.curves import learning_curves
from cbkit.policies.registry import policy_parameters

PRIORS: dict[str, dict[str, Any]] = {
    "MAB-first (3, 7, 2)": {"MABFirst": {"a": 3, "b": 7, "m": 2}},
    "MAB-first (5/k, 4, 2)": {"MABFirst": {"a": "5/k", "b": 4, "m": 2}},
    "smoothing (1, 10)": {"Smoothing": {"a": 1, "b": 10}},
}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is played, one value of each control.

    Parameters
    ----------
    dataset : str
        A name for `load_dataset`.
    policies : tuple of str
        Registry names.
    prior : str
        A name of `PRIORS`.
    percentile : float
        For policies that have one, 0-100.
    n_resamples : int
        For policies that have resamples.
    seed : int
        Of the first replicate.
    """

    dataset: str = "demo"
    policies: tuple[str, ...] = ("Greedy", "BootstrappedUCB", "BestArmOnline")
    prior: str = "MAB-first (3, 7, 2)"
    percentile: float = 80
    n_resamples: int = 10
    seed: int = 0


class Explorer:
    """Run settings, each once, and show what they earn and how often they explore.

    Parameters
    ----------
    folder : path
        Where runs are kept: a setting that was played before, also by an earlier session, is read.
    n_rounds, n_replicates : int
        Size of each run.

    Examples
    --------
    >>> import tempfile
    >>> explorer = Explorer(tempfile.mkdtemp(), n_rounds=60, n_replicates=1)
    >>> explorer.table(Setting(policies=("Greedy",))).index.tolist()
    ['Greedy']
    """

    def __init__(self, folder: str | Path, *, n_rounds: int = 600, n_replicates: int = 4) -> None:
        self.folder, self.n_rounds, self.n_replicates = folder, n_rounds, n_replicates
        self.results = lru_cache(maxsize=None)(self._results)

    def _results(self, setting: Setting) -> Results:
        own: dict[str, Any] = {
            "cold_start": PRIORS[setting.prior],
            "percentile": setting.percentile,
            "n_resamples": setting.n_resamples,
        }
        policies = {}
        for name in setting.policies:
            taken = own.keys() & policy_parameters(name)
            if name in ("ContextualAdaptiveGreedy2", "ActiveAdaptiveGreedy"):
                taken -= {"percentile"}  # of these it is a threshold, not a bound
            if name == "BestArmOnline" and "MABFirst" not in own["cold_start"]:
                taken -= {"cold_start"}  # it has no scores that could be smoothed
            policies[name] = {"policy": name} | {key: own[key] for key in taken}
        experiment = Experiment(
            datasets=[setting.dataset],
            policies=policies,
            folder=self.folder,
            n_replicates=self.n_replicates,
            seed=setting.seed,
            n_rounds=self.n_rounds,
        )
        return run_experiment(experiment)

    def figure(self, setting: Setting) -> Figure:
        """Return learning curves, and the share of rounds explored so far."""
        fig, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
        curves = self.results(setting).curves
        rounds = sorted(curves["round"].unique())
        curves = curves[curves["round"].isin({*rounds[:: len(rounds) // 40 + 1], rounds[-1]})]
        for value, ax in zip(("mean_reward", "explored_share"), axes, strict=True):
            learning_curves(curves, ax, value=value)
        fig.suptitle(f"{setting.dataset}, {setting.prior}")
        return fig

    def table(self, setting: Setting) -> pd.DataFrame:
        """Return each policy's mean reward, explored and cold-start shares over the replicates."""
        columns = ["mean_reward", "explored_share", "cold_start_share"]
        return self.results(setting).finals.groupby("policy", sort=False)[columns].mean().round(3)

    def show(
        self,
        setting: Setting,
        *,
        datasets: Sequence[str] = ("demo",),
        policies: Sequence[str] = (),
        widgets: bool | None = None,
    ) -> None:
        """Display controls that redraw the figure, or the setting's figure and table.

        Parameters
        ----------
        setting : Setting
            To begin with.
        datasets, policies : sequence of str
            Choices beside those of `setting`.
        widgets : bool, optional
            Whether there is someone to use controls; by default in a session of JupyterLab or
            Notebook with ipywidgets, and not where a notebook is run as a whole.
        """
        live = "JPY_SESSION_NAME" in os.environ if widgets is None else widgets
        controls = _controls(setting, datasets, policies) if live else None
        if controls is None:
            self._display(setting)
            return
        from ipywidgets import HBox, VBox, interactive_output

        def redraw(**chosen: Any) -> None:
            if chosen["policies"]:
                self._display(Setting(**chosen))

        rows = list(controls.values())
        display(VBox([HBox(rows[:3]), HBox(rows[3:]), interactive_output(redraw, controls)]))

    def _display(self, setting: Setting) -> None:
        fig = self.figure(setting)
        display(fig)
        plt.close(fig)
        display(self.table(setting))


def _controls(
    setting: Setting, datasets: Sequence[str], policies: Sequence[str]
) -> dict[str, Any] | None:
    """Return a control per field of a setting, or None where ipywidgets is absent."""
    try:
        import ipywidgets as made
    except ImportError:
        return None
    slow = {"continuous_update": False}  # a run at the end of a drag, not along the way
    return {
        "dataset": made.Dropdown(
            options=list(dict.fromkeys([setting.dataset, *datasets])), description="data set"
        ),
        "policies": made.SelectMultiple(
            options=list(dict.fromkeys([*setting.policies, *policies])),
            value=setting.policies,
            description="policies",
        ),
        "prior": made.Dropdown(options=list(PRIORS), value=setting.prior, description="prior"),
        "percentile": made.IntSlider(
            setting.percentile, 50, 100, 5, description="percentile", **slow
        ),
        "n_resamples": made.IntSlider(
            setting.n_resamples, 2, 20, 2, description="resamples", **slow
        ),
        "seed": made.BoundedIntText(setting.seed, min=0, max=9999, description="seed"),
    }
