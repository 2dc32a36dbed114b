"""What the evaluation's runs show, as tables and as sentences computed from them."""

from __future__ import annotations

import pandas as pd

from cbkit.experiments.results import CPU_SECONDS, RUN, Results
from cbkit.experiments.stats import CONFIDENCE, intervals, paired_differences

# Not policies of the paper's comparison: the levels to beat, and plain greedy, which it lacks.
BASELINES = ("RandomArm", "BestArmInHindsight", "BestArmOnline")
ADDED = ("Greedy", *BASELINES)

# Policies that differ in their resample weights alone: drawn anew at each refit, or kept.
_WEIGHTS = {
    "BootstrappedUCB": ("UCB", "fresh"),
    "OnlineBootstrappedUCB": ("UCB", "kept"),
    "BootstrappedTS": ("TS", "fresh"),
    "OnlineBootstrappedTS": ("TS", "kept"),
}
_SHARES = {"explored_share": "explored", "cold_start_share": "cold start"}


def final_table(results: Results) -> pd.DataFrame:
    """Final reward of each policy and variant, and what its runs did and cost.

    Returns
    -------
    DataFrame
        Indexed by variant and policy: mean, low, high (95% t interval), n; the shares of rounds in
        which the chooser explored and in which the chosen arm was scored by the cold start, the
        number of arms that have an oracle, and CPU seconds per run, means over replicates.
    """
    by = ["variant", "policy"]
    table = intervals(results.finals, by).set_index(by)
    facts = results.finals.groupby(by, sort=False)[[*_SHARES, "n_fitted_arms"]].mean()
    spent = results.timings.set_index(list(RUN))[list(CPU_SECONDS)].sum(axis=1)
    facts["CPU seconds"] = spent.groupby(by, sort=False).mean()
    return table.join(facts.rename(columns=_SHARES | {"n_fitted_arms": "fitted arms"}))


def beside_greedy(finals: pd.DataFrame, policies: list[str]) -> pd.DataFrame:
    """Put beside each other how often policies explored and how they differ from Greedy.

    Returns
    -------
    DataFrame
        Per data set, variant and policy: ``explored_share`` (mean), ``n_equal`` (replicates with
        Greedy's reward to the digit), difference from Greedy with low, high and n. No rows where
        there are no runs.
    """
    columns = ["explored_share", "n_equal", "difference", "low", "high", "n"]
    keys = ["dataset", "variant", "policy"]
    if finals.empty:
        return pd.DataFrame(columns=keys + columns)
    chosen = finals[finals["policy"].isin(["Greedy", *policies])]
    compared = paired_differences(chosen, "Greedy")
    rewards = chosen.pivot(index=["dataset", "variant", "seed"], columns="policy")["mean_reward"]
    equal = rewards.drop(columns="Greedy").eq(rewards["Greedy"], axis=0).stack()
    facts = pd.DataFrame(
        {
            "explored_share": chosen.groupby(keys)["explored_share"].mean(),
            "n_equal": equal.groupby(keys).sum(),
        }
    )
    table = compared[[*keys, "difference", "low", "high", "n"]].join(facts, on=keys)
    table["n_equal"] = table["n_equal"].astype(int)
    return table[keys + columns]


def kept_against_fresh(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare resample weights kept per observation with weights drawn anew at each refit.

    Returns
    -------
    DataFrame
        Per data set, variant with full refits and policy (UCB, TS): reward with kept Gamma(1,1)
        weights minus that with fresh multinomial ones, with low, high, n and ``p_holm``. No rows
        where there are no runs.
    """
    columns = ["dataset", "variant", "policy", "difference", "low", "high", "n", "p_holm"]
    if finals.empty:
        return pd.DataFrame(columns=columns)
    runs = finals[finals["policy"].isin(list(_WEIGHTS)) & (finals["variant"] != "mini-batch")]
    named = pd.DataFrame(runs["policy"].map(_WEIGHTS).tolist(), index=runs.index)
    named.columns = ["policy", "weights"]
    compared = paired_differences(runs.assign(**named), "fresh", by="weights")
    return compared[columns]


def sentences(finals: pd.DataFrame) -> list[str]:
    """Say per variant which policy ends best and which are clearly above or below the references.

    Clearly is: the paired difference has p < 5% after Holm's correction within the variant and
    reference.

    Parameters
    ----------
    finals : DataFrame
        Final rewards of one data set.

    Returns
    -------
    list of str
        Markdown list items, one per variant.

    Examples
    --------
    >>> levels = {"Greedy": 0.2, "BootstrappedTS": 0.3}
    >>> levels |= {"BestArmOnline": 0.1, "BestArmInHindsight": 0.2}
    >>> runs = [
    ...     {"policy": name, "seed": seed, "mean_reward": level + seed / 100}
    ...     for name, level in levels.items()
    ...     for seed in range(3)
    ... ]
    >>> keys = {"dataset": "d", "variant": "v", "checksum": "c", "n_rounds": 9}
    >>> sentences(pd.DataFrame(runs).assign(**keys))[0][:63]
    '- **v**: BootstrappedTS ends best, 0.310 [0.285, 0.335], n = 3.'
    """
    return [_sentence(variant, runs) for variant, runs in finals.groupby("variant", sort=False)]


def _sentence(variant: str, runs: pd.DataFrame) -> str:
    table = intervals(runs, ["policy"]).set_index("policy").drop(list(BASELINES), errors="ignore")
    best = table.loc[table["mean"].idxmax()]
    bounds = f" [{best['low']:.3f}, {best['high']:.3f}]" if best["n"] > 1 else ""
    parts = [f"{best.name} ends best, {best['mean']:.3f}{bounds}, n = {best['n']:.0f}."]
    for arm in ("BestArmOnline", "BestArmInHindsight"):
        level = runs.loc[runs["policy"] == arm, "mean_reward"].mean()
        above = _clear(runs, arm, table.index)[0]
        parts.append(f"Clearly above {arm} ({level:.3f}): {_listed(above, len(table))}.")
    for word, names in zip(("better", "worse"), _clear(runs, "Greedy", table.index), strict=True):
        parts.append(f"Clearly {word} than Greedy: {_listed(names, len(table) - 1)}.")
    return f"- **{variant}**: " + " ".join(parts)


def _clear(runs: pd.DataFrame, reference: str, policies: pd.Index) -> tuple[list[str], list[str]]:
    """Policies above and below the reference, at 5% after Holm's correction."""
    compared = paired_differences(runs, reference).set_index("policy").reindex(policies)
    clear = compared[compared["p_holm"] < 1 - CONFIDENCE]
    signs = clear["difference"] > 0
    return list(clear.index[signs]), list(clear.index[~signs])


def _listed(names: list[str], n_all: int) -> str:
    """List names, or say none or all.

    Examples
    --------
    >>> _listed(["Greedy"], 2), _listed([], 2), _listed(["A", "B"], 2)
    ('Greedy', 'none', 'all 2')
    """
    if len(names) == n_all:
        return f"all {n_all}"
    return ", ".join(names) or "none"
