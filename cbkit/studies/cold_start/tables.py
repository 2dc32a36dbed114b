"""Tables of the appendix on cold starts, many arms and exclusive rewards."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cbkit.experiments.stats import Interval, holm, mean_interval, paired_difference
from cbkit.studies.cold_start.study import EXCLUSIVE, FAMILIES, NEITHER, PLAIN, SUGGESTED


def _difference(runs: pd.DataFrame, policy: str, first: str, second: str) -> dict[str, object]:
    own = runs[runs["policy"] == policy]
    one, two = (own[own["variant"] == name] for name in (first, second))
    labels: dict[str, object] = {"policy": policy, "variant": first, "reference": second}
    return labels | paired_difference(one, two, names=(first, second))


def cold_start_comparisons(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare, per policy, the best and worst constants of each family with each other and none.

    Parameters
    ----------
    finals : DataFrame
        From `cbkit.studies.cold_start.study.grid_table`, one data set.

    Returns
    -------
    DataFrame
        ``question``, ``policy``, ``variant``, ``reference``, the columns of
        `paired_difference`, and ``p_holm`` over the whole table. The best and worst are
        chosen on the runs they are compared on, which flatters the best.
    """
    means = finals.groupby(["policy", "variant"], sort=False)["mean_reward"].mean()
    families = finals.drop_duplicates("variant").set_index("variant")["family"]
    rows = []
    for policy in finals["policy"].unique():
        own = {
            family: means[policy][families[means[policy].index] == family] for family in FAMILIES
        }
        pairs = [("best MAB-first - best smoothing", *(own[name].idxmax() for name in FAMILIES))]
        for family in FAMILIES:
            pairs.append((f"best {family} - none", own[family].idxmax(), NEITHER))
            pairs.append((f"worst {family} - none", own[family].idxmin(), NEITHER))
        rows += [
            {"question": question} | _difference(finals, policy, first, second)
            for question, first, second in pairs
        ]
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p_t"]))


def variance_shares(finals: pd.DataFrame) -> dict[str, float]:
    """Compute the variance of mean final rewards due to constants, policy and interaction.

    Two-way analysis on the means over replicates, one per policy and set of constants.

    Parameters
    ----------
    finals : DataFrame
        One row per run: ``policy``, ``variant``, ``seed``, ``mean_reward``.

    Returns
    -------
    dict
        ``constants_pct``, ``policy_pct`` and ``interaction_pct`` add to 100; ``noise_pct`` is how
        much of the whole the spread between replicates would give by itself. ``constants_std`` and
        ``policy_std`` are the standard deviations of the effects, in reward per round.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": list("ABAB"), "variant": list("ccdd"), "seed": 0})
    >>> round(variance_shares(runs.assign(mean_reward=[0.1, 0.2, 0.4, 0.5]))["constants_pct"], 6)
    90.0
    """
    cells = finals.groupby(["variant", "policy"], sort=False)["mean_reward"]
    counts = cells.count().unstack()
    if len(np.unique(counts.fillna(0))) > 1:
        raise ValueError(f"every policy needs the same runs under every variant, got\n{counts}")
    means = cells.mean().unstack().to_numpy()
    centred = means - means.mean()
    rows, columns = centred.mean(axis=1), centred.mean(axis=0)
    total = (centred**2).mean()
    rest = total - (rows**2).mean() - (columns**2).mean()
    parts = {"constants": (rows**2).mean(), "policy": (columns**2).mean(), "interaction": rest}
    noise = (cells.var() / cells.count()).mean()
    shares = {f"{part}_pct": 100 * float(value / total) for part, value in parts.items()}
    return shares | {
        "noise_pct": 100 * float(noise / total),
        "constants_std": float(np.sqrt(parts["constants"])),
        "policy_std": float(np.sqrt(parts["policy"])),
    }


def variance_table(finals: pd.DataFrame) -> pd.DataFrame:
    """Compute `variance_shares` for all constants, the suggested ones and each family."""
    kinds = finals.drop_duplicates("variant").query("variant != @NEITHER").set_index("variant")
    labels = pd.Series(kinds.index)
    scopes = {"all constants": labels, "suggested sets": labels[labels.isin(list(SUGGESTED))]}
    scopes |= {family: labels[labels.map(kinds["family"]) == family] for family in FAMILIES}
    rows = {
        scope: {"sets": len(kept)} | variance_shares(finals[finals["variant"].isin(kept)])
        for scope, kept in scopes.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").astype({"sets": int})


def arm_gains(table: pd.DataFrame) -> pd.DataFrame:
    """Return the reward with all arms minus that with the fewest, replicate by replicate.

    Returns
    -------
    DataFrame
        Per cold start and policy: ``few``, ``many`` (numbers of arms), difference, low, high, n.
    """
    few, many = int(table["n_arms"].min()), int(table["n_arms"].max())
    rows = []
    for (variant, policy), runs in table.groupby(["variant", "policy"], sort=False):
        rewards = runs.pivot(index="seed", columns="n_arms", values="mean_reward")
        found = mean_interval((rewards[many] - rewards[few]).to_numpy())
        fields = dict(zip(("difference", *Interval._fields[1:]), found, strict=True))
        rows.append({"variant": variant, "policy": policy, "few": few, "many": many} | fields)
    return pd.DataFrame(rows)


def sharing_gains(table: pd.DataFrame) -> pd.DataFrame:
    """Return the reward with `exclusive_rewards` minus without, on the same rows.

    Returns
    -------
    DataFrame
        ``dataset``, ``labels_per_row``, ``policy``, ``plain_mean``, the mean numbers of arms with
        an oracle, ``plain_fitted`` and ``exclusive_fitted``, the columns of
        `paired_difference`, and ``p_holm`` over the table.
    """
    rows = []
    keys = ["dataset", "labels_per_row", "policy"]
    for values, runs in table.groupby(keys, sort=False):
        means = runs.groupby("variant")[["mean_reward", "n_fitted_arms"]].mean()
        facts = {
            "plain_mean": means.loc[PLAIN, "mean_reward"],
            "plain_fitted": means.loc[PLAIN, "n_fitted_arms"],
            "exclusive_fitted": means.loc[EXCLUSIVE, "n_fitted_arms"],
        }
        found = _difference(runs, values[-1], EXCLUSIVE, PLAIN)
        rows.append(dict(zip(keys, values, strict=True)) | facts | found)
    gains = pd.DataFrame(rows)
    return gains.assign(p_holm=holm(gains["p_t"]))
