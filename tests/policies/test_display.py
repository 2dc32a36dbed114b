"""What a policy shows: the call that makes one like it, and a table of its parts."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import cbkit
from cbkit import MABFirst, MultilabelDataset, Policy, Smoothing, make_policy, simulate
from cbkit.policies.choosers import EpsilonMix, FixedArm, HighestValue
from cbkit.policies.choosers.exploration import RandomExplore
from cbkit.policies.indices import Mean
from cbkit.policies.registry import policy_names

RNG = np.random.default_rng(0)
DATA = MultilabelDataset.from_arrays(RNG.normal(size=(60, 2)), RNG.integers(2, size=(60, 3)))
WORDS = {
    **{name: getattr(cbkit, name) for name in cbkit.__all__},
    **{part.__name__: part for part in (EpsilonMix, FixedArm, HighestValue, Mean, RandomExplore)},
}


def copied(policy):
    return eval(repr(policy), dict(WORDS))


@pytest.mark.parametrize("name", policy_names())
def test_named_policies_can_be_copied_from_what_they_show(name):
    policy = make_policy(name, DATA)
    copy = copied(policy)
    assert repr(policy).startswith(f"{name}(n_arms=3")
    assert repr(copy) == repr(policy)
    assert copy.get_params() == policy.get_params()
    one, other = (simulate(made, DATA, seed=0, refit_every=20).rounds for made in (policy, copy))
    assert one.equals(other)


def test_a_played_policy_shows_the_call_of_a_fresh_one():
    policy = make_policy("EpsilonGreedy", DATA)
    before = repr(policy)
    simulate(policy, DATA, seed=0)
    assert repr(policy) == before
    assert copied(policy).is_fresh


def test_constants_per_arm_can_be_copied_back():
    prior = MABFirst(a=np.array([1, 2, 3]), b=7), Smoothing(a=[0, 1, 2], b=[3.0, 4.0, 5.0])
    policy = cbkit.Greedy(3, cold_start=prior)
    assert "MABFirst(a=[1.0, 2.0, 3.0], b=7.0, m=2)" in repr(policy)
    assert repr(copied(policy)) == repr(policy)


def test_compositions_show_their_parts():
    policy = Policy(n_arms=2, oracle=None, cold_start=MABFirst(a=1, b=1), name="mine")
    assert policy.get_params()["name"] == "mine"
    assert repr(policy).startswith("Policy(n_arms=2, oracle=None, cold_start=MABFirst(a=1.0, b=1.0")
    assert copied(policy) == policy


def test_a_named_policy_whose_arms_changed_is_shown_as_the_composition_it_became():
    policy = cbkit.BestArmInHindsight(3, arm=2)
    policy.drop_arm(0)
    assert copied(policy).chooser.arm == 1
    policy = cbkit.EpsilonGreedy(3)
    policy.add_arm()
    assert policy.get_params()["n_arms"] == copied(policy).n_arms == 4


def test_parameters_hold_defaults_and_what_was_given():
    classifier = GaussianNB()
    parameters = cbkit.BootstrappedTS(4, n_resamples=3, oracle=classifier).get_params()
    assert parameters["oracle"] is classifier
    assert (parameters["n_arms"], parameters["n_resamples"], parameters["kept"]) == (4, 3, False)


def test_notebooks_show_a_table_of_parts_and_of_what_was_learned():
    policy = make_policy("EpsilonGreedy", DATA, cold_start=Smoothing(a=1, b=2))
    assert "3, of which 0 have a fitted oracle" in policy._repr_html_()
    log = simulate(policy, DATA, seed=0)
    shown = policy._repr_html_()
    assert f"60, of which {log.rounds['reward'].sum()} are rewards" in shown
    for part in ("EpsilonGreedy", "LogisticOracle(C=1.0", "Smoothing(a=1.0, b=2.0)", "Mean()"):
        assert part in shown
    assert f"{policy.n_fitted_arms} have a fitted oracle" in shown
    assert "EpsilonMix(explore_probability=0.2" in shown


def test_names_are_no_markup():
    assert "<b>" not in Policy(n_arms=2, oracle=None, name="<b>")._repr_html_()
