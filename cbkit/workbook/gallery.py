"""Which figures are drawn from which tables: the notebooks and the command line draw the same."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import pandas as pd
from matplotlib.figure import Figure

from cbkit.plots.curves import curve_panels, learning_curves, policy_panels
from cbkit.plots.dots import interval_dots
from cbkit.studies import chooser_traces, gradient_norms, resample_scores
from cbkit.studies.any_classifier import figures as any_classifier
from cbkit.studies.claims.plots import effects
from cbkit.studies.cold_start import figures as cold_start
from cbkit.studies.cost.costs import cost_dots
from cbkit.studies.cost.growth import growth_panels
from cbkit.studies.cost.plain_race import ratio_dots
from cbkit.studies.coverage import plots as coverage
from cbkit.studies.coverage.tables import against_paper
from cbkit.studies.evaluation import figures as evaluation
from cbkit.studies.frontier.figures import gain_panels
from cbkit.studies.live import shop
from cbkit.studies.off_policy import figures as off_policy
from cbkit.studies.oracles import figures as oracles
from cbkit.studies.sensitivity import figures as sensitivity
from cbkit.workbook.tables import source_of

REWARD = {"mean_reward": "mean reward per round"}
EXPLORED = {"explored_share": "share of rounds in which\nthe chooser explored"}
COLD = {"cold_start_share": "share of rounds whose arm\nthe cold start scored"}
FITTED = {"n_fitted_arms": "arms with an oracle\nat the end"}


@dataclass(frozen=True)
class Drawing:
    """A figure, or one per data set or claim, drawn from tables of its study.

    Attributes
    ----------
    draw : callable
        Takes the tables in the order of `tables` and returns a figure, or None where they hold
        nothing that it could show.
    tables : tuple of str
        Names of the study's tables, or of others with their study, ``"evaluation/finals"``.
    by : str
        Column whose values get a figure each; one figure of everything where empty.
    picture : str
        Name of the picture, with ``{name}`` and ``{value}`` of the column.
    """

    draw: Callable[..., Figure | None]
    tables: tuple[str, ...] = ("finals",)
    by: str = ""
    picture: str = "{name}"

    def figures(
        self, tables: Sequence[pd.DataFrame], name: str, only: str = ""
    ) -> Iterator[tuple[str, Figure]]:
        """Yield the name and figure of each picture.

        Parameters
        ----------
        tables : sequence of DataFrame
            Those of `tables`.
        name : str
            The drawing's.
        only : str, optional
            The data set to draw, of tables that hold several.
        """
        if only:
            tables = [t[source_of(t["dataset"]) == only] if "dataset" in t else t for t in tables]
        if not self.by:
            if figure := self.draw(*tables):
                yield self.picture.format(name=name), figure
            return
        keys = [source_of(t[self.by]) if self.by == "dataset" else t[self.by] for t in tables]
        for value in dict.fromkeys(keys[0]):
            parts = [table[key == value] for table, key in zip(tables, keys, strict=True)]
            if figure := self.draw(*parts):
                yield self.picture.format(name=name, value=value), figure


def _of_each(draw: Callable[..., Figure | None], table: str = "finals") -> Drawing:
    return Drawing(draw, (table,), "dataset", "{value}_{name}")


def _swapped(curves: pd.DataFrame) -> Figure:
    """Draw a panel per policy and a line per variant."""
    swapped = {"policy": "variant", "variant": "policy"}
    return curve_panels(curves.rename(columns=swapped))


def _tried(curves: pd.DataFrame) -> Figure:
    return cast(Figure, learning_curves(curves, value="arms_tried").figure)


SHARES = Drawing(partial(interval_dots, values=REWARD | EXPLORED | COLD))

GALLERY: dict[str, dict[str, Drawing]] = {
    "cold_start": {
        "rewards": Drawing(partial(interval_dots, values=REWARD, row="variant", hue="policy")),
        "curves": Drawing(_swapped, ("curves",)),
        "arms_tried": Drawing(_tried, ("arms_tried",)),
    },
    "baselines": {
        "rewards": Drawing(partial(interval_dots, values=REWARD, sort=True)),
        "curves": Drawing(policy_panels, ("curves",)),
        "against_greedy": Drawing(evaluation.greedy_differences),
    },
    "bootstrap": {
        "weights": Drawing(partial(interval_dots, values=REWARD | COLD | FITTED)),
        "against_kept": Drawing(resample_scores.kept_differences),
        "percentile_and_resamples": Drawing(
            partial(interval_dots, values=REWARD | COLD | FITTED), ("swept",)
        ),
    },
    "adaptive_greedy": {
        "shares": SHARES,
        "against_greedy": Drawing(evaluation.greedy_differences),
    },
    "active_learning": {
        "criterion": Drawing(chooser_traces.criterion_curves, ()),
        "shares": SHARES,
        "against_random": Drawing(chooser_traces.random_differences),
    },
    "evaluation": {
        "curves": Drawing(evaluation.papers_curves, ("curves",), "dataset", "{value}"),
        "tuned": _of_each(evaluation.tuned_curves, "curves"),
        "priors": _of_each(evaluation.prior_dots),
        "settings": _of_each(evaluation.setting_dots),
        "updates": _of_each(evaluation.update_dots),
        "exploration": _of_each(evaluation.exploration_dots),
        "against_greedy": _of_each(evaluation.setting_differences),
    },
    "any_classifier": {
        "rewards": Drawing(any_classifier.reward_dots),
        "seconds": Drawing(any_classifier.second_dots),
        "reliability": Drawing(any_classifier.reliability_panels, ("bins",)),
    },
    "live_use": {
        "rewards": Drawing(shop.reward_dots),
        "recent": Drawing(shop.recent_lines, ("recent",)),
    },
    "off_policy": {
        "coverage": Drawing(off_policy.plot_coverage, ("cells",)),
        "errors": Drawing(partial(off_policy.plot_errors, target="softmax"), ("cells",)),
        "learning": Drawing(off_policy.plot_learning, ("learning",)),
    },
    "frontier": {
        "gains": Drawing(gain_panels),
    },
    "verdicts": {
        "winners": Drawing(evaluation.winner_panels, ("evaluation/finals",)),
        "ranks": Drawing(evaluation.rank_dots, ("evaluation/finals",)),
        "claim": Drawing(effects, ("comparisons",), "claim", "{name}_{value}"),
    },
    "online_bootstrap_coverage": {
        "coverage": Drawing(coverage.coverage_curves, ("cells",)),
        "against_paper": Drawing(
            lambda cells: coverage.difference_heatmaps(against_paper(cells)), ("cells",)
        ),
        "readings": Drawing(coverage.reading_curves, ("shown_readings",)),
        "weights": Drawing(coverage.weight_differences, ("summary",)),
        "resamples": Drawing(coverage.resample_curves, ("resamples",)),
    },
    "cold_start_and_many_arms": {
        "grid": _of_each(cold_start.grid_dots, "grid"),
        "variance": _of_each(cold_start.variance_bars, "grid"),
        "arms": _of_each(cold_start.arm_lines, "many_arms"),
        "exclusive": _of_each(cold_start.sharing_dots, "exclusive_rewards"),
    },
    "gradient_norms": {
        "curves": Drawing(gradient_norms.criterion_panels, ("curves",)),
        "against_weighted": Drawing(gradient_norms.weighted_differences),
        "agreement": Drawing(gradient_norms.agreement_dots, ("agreement",)),
    },
    "cost_and_scaling": {
        "policies": Drawing(cost_dots, ("policies",)),
        "against_plain_loop": Drawing(ratio_dots, ("against_plain_loop",)),
        "growth": Drawing(growth_panels, ("growth",)),
    },
    "oracles_and_posteriors": {
        "learned": Drawing(oracles.share_dots, ("learned",)),
        "explored": Drawing(oracles.explore_dots, ("explored",)),
    },
    "sensitivity": {
        "values": Drawing(sensitivity.value_panels),
        "shares": Drawing(sensitivity.share_bars),
    },
}


def drawing(study: str, name: str) -> Drawing:
    """Return a drawing of a study.

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> drawing("evaluation", "tuned").tables
    ('curves',)
    """
    for kind, asked, known in (("study", study, GALLERY), ("figure", name, GALLERY.get(study, {}))):
        if asked not in known:
            close = difflib.get_close_matches(asked, known, n=1)
            instead = f"did you mean {close[0]}?" if close else f"choose from {', '.join(known)}"
            raise ValueError(f"no {kind} {asked!r} is drawn from tables; {instead}")
    return GALLERY[study][name]
