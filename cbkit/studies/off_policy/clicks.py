"""Real clicks: Thompson sampling evaluated from a random log, and what it earned."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cbkit.off_policy.diagnostics import diagnose
from cbkit.off_policy.estimators import IPS, SNIPS, DirectMethod, DoublyRobust, Replay
from cbkit.off_policy.evidence import Evidence, gather
from cbkit.off_policy.intervals import BernsteinInterval, BootstrapInterval, NormalInterval
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.off_policy.open_bandit import CAMPAIGNS, load_open_bandit, positions, shown_shares
from cbkit.off_policy.reward_models import MeanRewards, cross_fitted

Z = 1.959964  # half of a normal 95% interval, in standard errors


def clicks_table(*, seed: int = 0) -> pd.DataFrame:
    """Estimate each policy's click rate from the other's log, beside what it earned itself.

    Thompson sampling ignores contexts, so its probabilities per position are estimated by how
    often it showed each item there in its own log; their errors (about 3,300 rounds per position)
    are small beside those of 46 clicks and are left out of the intervals.

    Parameters
    ----------
    seed : int, default=0
        Of folds, resamples and acceptance draws.

    Returns
    -------
    DataFrame
        One row per campaign, target and estimator, and one, ``its own log``, with the rate the
        target earned: estimate, normal and bootstrap interval by page, empirical Bernstein bounds
        where the log is random, effective sample size, warning.
    """
    rows = []
    for campaign in CAMPAIGNS:
        random, thompson = (load_open_bandit(policy, campaign) for policy in ("random", "bts"))
        uniform = np.full((thompson.n_rounds, thompson.n_arms), 1 / thompson.n_arms)
        shares = shown_shares(thompson)
        bound = float(shares.max() * random.n_arms)
        cases = [
            ("Thompson sampling", random, shares[positions(random)], thompson, bound),
            ("random", thompson, uniform, random, None),
        ]
        for target, log, probabilities, own, largest in cases:
            rng = np.random.default_rng(seed)
            facts = {"campaign": campaign, "target": target}
            rows.append(facts | _own_rate(own, rng))
            predict = cross_fitted(log, MeanRewards(shrinkage=200), rng)
            evidence = gather(log, probabilities, predict)
            rows += [facts | row for row in _estimates(evidence, largest, rng)]
    return pd.DataFrame(rows)


def _bounds(kind: str, bounds: tuple[float, float]) -> dict[str, float]:
    return {f"{kind}_low": bounds[0], f"{kind}_high": bounds[1]}


def _own_rate(log: LoggedRounds, rng: np.random.Generator) -> dict[str, object]:
    n = log.n_rounds
    evidence = Evidence(rewards=log.rewards.astype(float), weights=np.ones(n), pages=log.pages)
    return (
        {"estimator": "its own log", "estimate": log.rewards.mean(), "clicks": log.rewards.sum()}
        | _bounds("normal", NormalInterval().bounds(IPS(), evidence))
        | _bounds("bootstrap", BootstrapInterval(rng=rng).bounds(IPS(), evidence))
        | {"effective_sample_size": float(n), "warning": ""}
    )


def _estimates(
    evidence: Evidence, largest: float | None, rng: np.random.Generator
) -> list[dict[str, object]]:
    rows = []
    for estimator in (Replay(rng=rng), IPS(), SNIPS(), DirectMethod(), DoublyRobust()):
        found = diagnose(estimator, evidence)
        row = {"estimator": type(estimator).__name__, "clicks": int(evidence.rewards.sum())}
        row |= {"estimate": estimator.parts(evidence).value}
        row |= _bounds("normal", NormalInterval().bounds(estimator, evidence))
        row |= _bounds("bootstrap", BootstrapInterval(rng=rng).bounds(estimator, evidence))
        if largest is not None and estimator.spread is not None:
            bernstein = BernsteinInterval(largest_weight=largest)
            row |= _bounds("bernstein", bernstein.bounds(estimator, evidence))
        row |= {"effective_sample_size": found.effective_sample_size}
        rows.append(row | {"warning": "; ".join(found.warnings())})
    return rows


def rows_needed(table: pd.DataFrame, *, n_rounds: int = 10_000) -> pd.DataFrame:
    """Compute how many random rounds would tell Thompson sampling's rate from the random one.

    Parameters
    ----------
    table : DataFrame
        From `clicks_table`.
    n_rounds : int, default=10,000
        Rounds in each log.

    Returns
    -------
    DataFrame
        One row per campaign: SNIPS from the random log, half width of its normal interval, the
        difference between the two policies' own rates, the rounds for a half width of that size,
        and those for a half width of a tenth of the estimate.
    """
    rows = []
    for campaign, of_campaign in table.groupby("campaign", sort=False):
        rates = of_campaign[of_campaign["estimator"] == "its own log"].set_index("target")
        named = of_campaign["target"].eq("Thompson sampling") & of_campaign["estimator"].eq("SNIPS")
        snips = of_campaign[named].iloc[0]
        half = (snips["normal_high"] - snips["normal_low"]) / 2
        gap = abs(rates["estimate"].diff().iloc[-1])
        rows.append(
            {"campaign": campaign, "estimate": snips["estimate"], "half_width": half}
            | {"difference": gap}
            | {"rounds_for_difference": n_rounds * (half / gap) ** 2 if gap else np.inf}
            | {"rounds_for_tenth": n_rounds * (half / (0.1 * snips["estimate"])) ** 2}
        )
    return pd.DataFrame(rows)
