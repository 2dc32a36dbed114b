"""The simulated shop."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from cbkit import Greedy, MABFirst, RandomArm
from cbkit.simulate.world import as_arrivals
from cbkit.studies.live.shop import play, recent_lines, reward_dots, shop

PRIOR = MABFirst(a=1, b=3)


@pytest.fixture(scope="module")
def played():
    policies = {"RandomArm": RandomArm, "Greedy": lambda n: Greedy(n, cold_start=PRIOR)}
    delays = {"at once": 0, "late": (1, 100)}
    return play(policies, delays, n_replicates=2, n_rounds=300, seed=5, window=100)


def test_offers_come_and_go_and_some_are_always_there():
    dataset, arrivals = shop(3, n_rounds=500)
    assert (as_arrivals(arrivals, 20, 500) == arrivals).all()
    assert (arrivals[:, 0] == 1).sum() == 10
    assert (arrivals[:, 0] < arrivals[:, 1]).all()
    again, _ = shop(3, n_rounds=500)
    assert again.checksum == dataset.checksum != shop(4, n_rounds=500)[0].checksum


def test_traffic_drifts_once_around():
    visitors = shop(0, n_rounds=4000)[0].features
    quarters = visitors[:, :2].reshape(4, 1000, 2).mean(axis=1)
    assert (np.sign(quarters) == [[1, 1], [-1, 1], [-1, -1], [1, -1]]).all()


def test_each_run_is_a_row_and_each_window_another(played):
    finals, recent = played
    assert len(finals) == 2 * 2 * 2
    assert (finals["n_pending"] > 0).tolist() == (finals["variant"] == "late").tolist()
    assert len(recent) == 3 * len(finals)
    keys = ["policy", "variant", "seed"]
    means = recent.groupby(keys)["reward"].mean()
    assert finals.set_index(keys)["mean_reward"].sort_index().to_numpy() == pytest.approx(
        means.sort_index().to_numpy()
    )


def test_random_choices_earn_the_same_however_late_rewards_are(played):
    rewards = played[0].set_index(["policy", "variant", "seed"])["mean_reward"].unstack("variant")
    assert (rewards.loc["RandomArm"]["at once"] == rewards.loc["RandomArm"]["late"]).all()


def test_figures_name_each_policy_and_show_the_means(played):
    finals, recent = played
    dots = reward_dots(finals)
    [ax] = dots.axes
    assert {label.get_text() for label in ax.get_yticklabels()} == {"Greedy", "RandomArm"}
    drawn = np.concatenate([line.get_xdata() for line in ax.lines])
    for mean in finals.groupby(["policy", "variant"])["mean_reward"].mean():
        assert np.isclose(drawn, mean).any()
    lines = recent_lines(recent)
    where = plt.rcParams["axes.titlelocation"]
    assert [ax.get_title(loc=where) for ax in lines.axes] == [
        "rewards come at once",
        "rewards come late",
    ]
    plt.close("all")
