"""Claims about what users may give as an oracle."""

import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB

from cbkit import BootstrappedUCB, Greedy
from cbkit.oracles.classifiers import ClassifierOracle, StreamingOracle
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.oracle import as_oracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle

GAMMA = Resampling(kind="gamma(1,1)")


@pytest.mark.parametrize(
    "given, expected",
    [
        ("logistic", LogisticOracle(resampling=GAMMA)),
        ({"logistic": {"C": 10.0, "tol": 0.1}}, LogisticOracle(C=10.0, tol=0.1, resampling=GAMMA)),
        ({"logistic": None}, LogisticOracle(resampling=GAMMA)),
        ("streaming-logistic", StreamingLogisticOracle(resampling=GAMMA)),
        (
            {"streaming-logistic": {"alpha": 0.1}},
            StreamingLogisticOracle(alpha=0.1, resampling=GAMMA),
        ),
        (LogisticOracle(C=3.0), LogisticOracle(C=3.0, resampling=GAMMA)),
        (LogisticOracle(resampling=GAMMA), LogisticOracle(resampling=GAMMA)),
    ],
)
def test_names_mappings_and_oracles_become_oracles_with_the_policys_resamples(given, expected):
    assert as_oracle(given, GAMMA) == expected


def test_classifiers_and_their_oracles_get_the_policys_resamples():
    classifier = BernoulliNB()
    oracle = as_oracle(classifier, GAMMA)
    assert isinstance(oracle, ClassifierOracle) and oracle.resampling == GAMMA
    assert oracle.classifier is classifier
    given = ClassifierOracle(classifier=classifier, probability="calibrated")
    assert as_oracle(given, GAMMA).probability == "calibrated"
    streaming = as_oracle(StreamingOracle(classifier=SGDClassifier()), GAMMA)
    assert isinstance(streaming, StreamingOracle) and streaming.resampling == GAMMA


def test_every_policy_gets_a_fresh_oracle():
    given = LogisticOracle()
    first, second = Greedy(3, oracle=given), Greedy(3, oracle=given)
    assert first.oracle is not second.oracle is not given


def test_an_oracle_with_resamples_of_its_own_keeps_them_without_others():
    assert Greedy(3, oracle=LogisticOracle(resampling=GAMMA)).oracle.resampling == GAMMA
    with pytest.raises(ValueError, match="give the resamples once, to the policy"):
        BootstrappedUCB(3, oracle=LogisticOracle(resampling=GAMMA))


@pytest.mark.parametrize("given", ["logisti", {"tree": {}}, {}, {"logistic": {}, "tree": {}}, 3])
def test_unknown_oracles_are_refused(given):
    with pytest.raises(ValueError, match=r"unknown oracle|must have a fit method"):
        as_oracle(given)


class Own:
    """An oracle of one's own without copies."""

    streaming = False
    resampling = None

    def learn(self, arm, X, rewards, rng):
        pass


class OwnWithCopies(Own):
    def with_resampling(self, resampling):
        return OwnWithCopies()


def test_oracles_of_ones_own_need_a_way_to_make_copies_as_advised():
    with pytest.raises(ValueError, match=r"copies of .*Own.*with_resampling\(resampling\)"):
        as_oracle(Own())
    given = OwnWithCopies()
    assert isinstance(as_oracle(given), OwnWithCopies) and as_oracle(given) is not given


@pytest.mark.parametrize(
    "make, hint",
    [
        (lambda: Greedy(3, oracle="logistc"), "did you mean 'logistic'"),
        (
            lambda: Greedy(3, oracle={"logistic": {"c": 1.0}}),
            "LogisticOracle has no parameter 'c'; Write one",
        ),
        (lambda: StreamingLogisticOracle(alhpa=1.0), "did you mean 'alpha'"),
        (lambda: ClassifierOracle(clasifier=BernoulliNB()), "did you mean 'classifier'"),
        (lambda: StreamingOracle(model=BernoulliNB()), "Write one of: classifier, resampling"),
        (lambda: Resampling(weights="poisson"), "Write one of: kind, n_resamples, kept"),
    ],
)
def test_misspelt_names_and_parameters_are_answered_with_those_there_are(make, hint):
    with pytest.raises((TypeError, ValueError), match=hint):
        make()
