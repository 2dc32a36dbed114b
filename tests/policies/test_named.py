"""Named policies as a person meets them: whole help pages, and errors that know what was meant."""

import inspect
import re

import pytest

import cbkit
from cbkit.policies.registry import policy_names

NAMES = policy_names()


def documented(name):
    """Return the parameters of a help page, with what it says of each."""
    page = inspect.getdoc(getattr(cbkit, name))
    section = re.search(r"Parameters\n-+\n(.*?)\n\n\w+\n-+\n", page, re.DOTALL).group(1)
    parts = re.split(r"^(\w+) : (.*)\n", section, flags=re.MULTILINE)[1:]
    return {parts[i]: (parts[i + 1], parts[i + 2].strip()) for i in range(0, len(parts), 3)}


@pytest.mark.parametrize("name", NAMES)
def test_help_pages_document_each_parameter_in_order_with_its_default(name):
    parameters = inspect.signature(getattr(cbkit, name)).parameters
    page = documented(name)
    assert list(page) == list(parameters)
    for parameter in parameters.values():
        typed, text = page[parameter.name]
        assert text.endswith(".")
        if parameter.default is inspect.Parameter.empty:
            assert "default" not in typed and "optional" not in typed
        elif parameter.default is None and parameter.name != "cold_start":
            assert typed.endswith("optional")
        else:
            default = typed.split("default=")[1]
            words = {word: getattr(cbkit, word) for word in cbkit.__all__}
            assert eval(default, words) == parameter.default


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "section", ["Parameters", "Returns", "Raises", "Notes", "Examples", "``", "TypeError"]
)
def test_help_pages_stand_by_themselves(name, section):
    page = inspect.getdoc(getattr(cbkit, name))
    assert section in page
    assert not re.search(r"\b[Aa]s for\b|\bAs there\b|\*\*", page)


@pytest.mark.parametrize("parameter", ["n_arms", "oracle", "exclusive_rewards", "n_resamples"])
def test_parameters_that_policies_share_are_described_in_the_same_words(parameter):
    pages = [documented(name) for name in NAMES]
    assert len({page[parameter] for page in pages if parameter in page}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_has_a_type_and_none_hides_in_keywords(name):
    for parameter in inspect.signature(getattr(cbkit, name)).parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty
        assert parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cbkit.EpsilonGreedy(3, explore_prob=0.1),
            "EpsilonGreedy has no parameter 'explore_prob'; did you mean 'explore_probability'?",
        ),
        (
            lambda: cbkit.BootstrappedUCB(3, percentil=90),
            "BootstrappedUCB has no parameter 'percentil'; did you mean 'percentile'?",
        ),
        (lambda: cbkit.RandomArm(n_arm=3), "RandomArm has no parameter 'n_arm'; did you mean 'n_"),
        (lambda: cbkit.Policy(n_arms=3, oracle=None, coldstart=None), "did you mean 'cold_start'?"),
        (
            lambda: cbkit.MABFirst(a=1, beta=2),
            "MABFirst has no parameter 'beta'; ",
        ),
        (lambda: cbkit.Smoothing(alpha=1, b=2), "Smoothing has no parameter 'alpha'"),
        (lambda: cbkit.ActiveExplore(criteria="min"), "did you mean 'criterion'?"),
        (
            lambda: cbkit.simulate(None, None, sed=3),
            "simulate has no parameter 'sed'; did",
        ),
    ],
)
def test_a_misspelt_keyword_is_answered_with_the_one_that_was_meant(call, message):
    with pytest.raises(TypeError) as error:
        call()
    assert message in str(error.value)


@pytest.mark.parametrize("public", ["EpsilonGreedy", "simulate", "Policy", "MABFirst"])
def test_checking_keywords_keeps_signature_and_help(public):
    target = getattr(cbkit, public)
    assert "keywords" not in inspect.signature(target).parameters
    assert target.__name__ == public
    assert inspect.getdoc(target)


def test_other_wrong_calls_are_pythons_own_to_refuse():
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'arm'"):
        cbkit.BestArmInHindsight(3)
    with pytest.raises(TypeError, match="positional argument"):
        cbkit.Greedy(3, "logistic")
