"""The paper's claims on cold starts, many arms, gradient norms, bounds and shared rewards.

They are tested on tables of the appendix notebooks. All but the coverage study's have one row per
run: ``dataset``, ``policy``, ``variant``, ``seed``, ``checksum``, ``n_rounds``, ``mean_reward``;
the one on gradient norms has ``algorithm`` and ``criterion``, that on cold starts ``family``.
"""

from __future__ import annotations

import pandas as pd

from cbkit.studies.claims.evaluation import LITTLE, Rows, best_of, compare_policies, runs_of
from cbkit.studies.claims.verdicts import (
    PAPER,
    TUNED,
    Claim,
    UntestableError,
    compare_values,
    comparison,
)

NEITHER = "no cold start"
FAMILIES = ("MAB-first", "smoothing")
ABOUT_ONE = 1.5  # labels per row, up to which about one arm per round is rewarded
COVERAGE_MARGIN = 2.0  # points, within which coverages count as the same
_UNIFORM = ("EpsilonGreedy",)  # explores by choosing uniformly at random
_TABLES = ("linear", "logistic_independent", "logistic_correlated")  # the paper's


def _groups(table: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the runs of each data set and policy, their variants in the place of policies."""
    return [
        (dataset, policy, runs.assign(policy=runs["variant"]))
        for (dataset, policy), runs in table.groupby(["dataset", "policy"], sort=False)
    ]


def _cold_start_helps(table: pd.DataFrame) -> Rows:
    rows = []
    for dataset, policy, runs in _groups(table[~table["policy"].isin(_UNIFORM)]):
        labels = {"dataset": dataset, "policy": policy, "setting": PAPER}
        best = {}
        for family in FAMILIES:
            names = list(runs.loc[runs["family"] == family, "policy"].unique())
            best[family] = best_of(runs, names)
            worst = min(names, key=lambda name: runs_of(runs, name)["mean_reward"].mean())
            rows.append(
                compare_policies(runs, best[family], NEITHER, "above", share=LITTLE, **labels)
            )
            rows.append(compare_policies(runs, worst, NEITHER, "above", **labels))
        rows.append(compare_policies(runs, best["MAB-first"], best["smoothing"], "above", **labels))
    return rows


def _constants_matter(table: pd.DataFrame) -> Rows:
    rows = []
    table = table[table["variant"] != NEITHER]
    for dataset, runs in table.groupby("dataset", sort=False):
        keys = ["seed", "policy", "variant"]
        rewards = runs.set_index(keys)["mean_reward"]
        if rewards.index.duplicated().any():
            raise ValueError(f"a run of {dataset} is there twice")
        by_constants = rewards.groupby(["seed", "variant"]).mean().groupby("seed").std()
        by_policy = rewards.groupby(["seed", "policy"]).mean().groupby("seed").std()
        rows.append(
            compare_values(
                by_constants - by_policy,
                "above",
                margin=-LITTLE * float(by_policy.mean()),
                reference=float(by_policy.mean()),
                dataset=dataset,
                setting=PAPER,
                comparison="spread over constants minus spread over policies",
            )
        )
    return rows


def _more_arms_help(table: pd.DataFrame) -> Rows:
    rows = []
    names = ("BootstrappedUCB", "BootstrappedTS")
    for dataset, policy, runs in _groups(table[table["policy"].isin(names)]):
        few, many = runs["n_arms"].min(), runs["n_arms"].max()
        if few == many:
            raise UntestableError(f"{policy} on {dataset} was run with {few} arms only")
        good = best_of(runs[runs["n_arms"] == many], runs["policy"].unique())
        means = runs[runs["policy"] == good].pivot(
            index="seed", columns="n_arms", values="mean_reward"
        )
        rows.append(
            compare_values(
                means[many] - means[few],
                "above",
                margin=0.0,
                reference=float(means[few].mean()),
                dataset=dataset,
                setting=PAPER,
                comparison=f"{policy}, {good}, {many} arms minus {few} arms",
            )
        )
    return rows


def _weighted_norm_is_better(table: pd.DataFrame) -> Rows:
    rows = []
    table = table[table["criterion"].notna()]  # Greedy has none
    for (dataset, prior), runs in table.groupby(["dataset", "variant"], sort=False):
        setting = PAPER if prior == "prior 3, 7, 2" else TUNED
        for policy, own in runs.groupby("algorithm", sort=False):
            labels = {"dataset": dataset, "policy": policy, "setting": setting}
            own = own.assign(policy=own["criterion"])
            rows += [
                compare_policies(own, "weighted", other, "above", **labels)
                for other in ("min", "max")
            ]
    return rows


def _gamma_covers(table: pd.DataFrame) -> Rows:
    rows = []
    claims = {"gamma_1_1": "near", "poisson": "near", "uniform": "below"}
    chosen = table[
        table["table"].isin(_TABLES)
        & table["weights"].isin(claims)
        & (table["sample_sizes"] != "all")
    ]
    for row in chosen.to_dict("records"):
        claimed = claims[row["weights"]]
        found = {name: row[f"{name}_pct"] for name in ("difference", "low", "high")}
        rows.append(
            comparison(
                found | {"n": row["n_pairs"]},
                claimed,
                margin=COVERAGE_MARGIN if claimed == "near" else 0.0,
                reference=row["baseline_mean_pct"],
                dataset=f"{row['table']} (simulated)",
                setting=PAPER,
                comparison=f"{row['weights']} minus {row['baseline']}, n {row['sample_sizes']}",
            )
        )
    return rows


def _sharing_rewards(table: pd.DataFrame) -> Rows:
    return [
        compare_policies(
            runs,
            "exclusive rewards",
            "plain",
            "above" if runs["labels_per_row"].iloc[0] <= ABOUT_ONE else "below",
            dataset=dataset,
            policy=policy,
            setting=PAPER,
        )
        for dataset, policy, runs in _groups(table)
    ]


APPENDIX_CLAIMS = (
    Claim(
        number=6,
        text="MAB-first and smoothing both improve greatly on neither when the policy does not "
        "choose uniformly at random; MAB-first has the edge.",
        test="Per policy other than EpsilonGreedy, against no cold start: the best constants above "
        "10% of its reward and the worst constants above 0; the best MAB-first against the best "
        "smoothing, above 0.",
        needs="cold_start_and_many_arms/grid",
        compare=_cold_start_helps,
    ),
    Claim(
        number=7,
        text="The constants of the cold start matter as much as the choice of policy.",
        test="Per replicate, the standard deviation over constants of the mean over policies minus "
        "that over policies of the mean over constants; above -10% of the latter.",
        needs="cold_start_and_many_arms/grid",
        compare=_constants_matter,
    ),
    Claim(
        number=8,
        text="With good constants, more arms give better results for UCB and Thompson sampling, "
        "in spite of few rounds.",
        test="All arms against the smallest random subset of arms, with the constants that are "
        "best for all arms; above 0.",
        needs="cold_start_and_many_arms/many_arms",
        compare=_more_arms_help,
    ),
    Claim(
        number=9,
        text="The weighted gradient norm is slightly better than the smallest or the largest.",
        test="Weighted against min and against max, per policy; above 0.",
        needs="gradient_norms/finals",
        compare=_weighted_norm_is_better,
    ),
    Claim(
        number=10,
        text="Gamma(1,1) weights give the coverage of the real bootstrap and Poisson(1); "
        "Uniform(0,1) underestimates.",
        test="Mean coverage against the multinomial bootstrap's, in points, for samples below 100 "
        "and of 100 and more: Gamma(1,1) and Poisson(1) within 2 points of it, Uniform(0,1) below.",
        needs="online_bootstrap_coverage/summary",
        compare=_gamma_covers,
    ),
    Claim(
        number=11,
        text="Adding rewarded observations as non-rewards elsewhere helps a little when about one "
        "arm per round is rewarded, and harms otherwise.",
        test="With against without; above 0 on data with at most 1.5 labels per row, below 0 on "
        "others.",
        needs="cold_start_and_many_arms/exclusive_rewards",
        compare=_sharing_rewards,
    ),
)
