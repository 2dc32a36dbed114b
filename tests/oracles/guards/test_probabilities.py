"""Claims about one probability per context, whatever a classifier calls it."""

import numpy as np
import pandas as pd
import pytest
from classifier_cases import observations
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from cbkit.oracles.guards.probabilities import positive_probability


class Says(BaseEstimator):
    """Has the labels and the probabilities that it is made with."""

    def __init__(self, probabilities, classes=(0, 1)):
        self.probabilities, self.classes_ = probabilities, classes

    def predict_proba(self, X):
        return self.probabilities


class Margins(BaseEstimator):
    """Has the labels and the margins that it is made with."""

    def __init__(self, margins, classes=(0, 1)):
        self.margins, self.classes_ = margins, classes

    def decision_function(self, X):
        return self.margins


TWO = np.ones((2, 1))


@pytest.mark.parametrize("classes", [(0, 1), (0.0, 1.0), (False, True), ("0", "1"), (-1, 1)])
@pytest.mark.parametrize("as_given", [tuple, list, np.array])
def test_label_1_is_found_as_number_boolean_or_text_in_any_order(classes, as_given):
    said = np.array([[0.7, 0.3], [0.6, 0.4]])
    assert positive_probability(Says(said, as_given(classes)), TWO).tolist() == [0.3, 0.4]
    assert positive_probability(Says(said, as_given(classes[::-1])), TWO).tolist() == [0.7, 0.6]
    there, back = (Margins(np.array([2.0, -1.0]), as_given(c)) for c in (classes, classes[::-1]))
    np.testing.assert_allclose(positive_probability(there, TWO), expit([2.0, -1.0]))
    np.testing.assert_allclose(positive_probability(back, TWO), expit([-2.0, 1.0]))


@pytest.mark.parametrize(
    "container", [np.float32, np.ndarray.tolist, pd.DataFrame, lambda p: p[:, ::-1][:, ::-1]]
)
def test_probabilities_come_in_any_container_and_leave_as_doubles(container):
    found = positive_probability(Says(container(np.array([[0.75, 0.25], [0.5, 0.5]]))), TWO)
    assert found.dtype == np.float64 and found.tolist() == [0.25, 0.5]


def test_rounding_beyond_0_and_1_is_clipped():
    said = Says(np.array([[-1e-7, 1 + 1e-7], [1 + 1e-7, -1e-7]]))
    assert positive_probability(said, TWO).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1.37, -0.2])
def test_what_is_no_probability_is_an_error_with_the_value(wrong):
    with pytest.raises(ValueError, match=f"Says gave the probability {wrong}; it must lie in"):
        positive_probability(Says(np.array([[0.5, 0.5], [0.5, wrong]])), TWO)


@pytest.mark.parametrize(
    "probabilities", [np.full(2, 0.5), np.full((2, 3), 0.3), np.full((2, 2, 1), 0.5)]
)
def test_another_shape_of_probabilities_is_an_error_that_says_which(probabilities):
    with pytest.raises(ValueError, match=r"gave shape .* for 2 contexts and 2 labels; it must be"):
        positive_probability(Says(probabilities), TWO)


def test_several_margins_per_context_are_an_error():
    with pytest.raises(ValueError, match=r"gave shape \(2, 3\).*one margin per context"):
        positive_probability(Margins(np.ones((2, 3))), TWO)


def test_unknown_labels_are_an_error_that_lists_them():
    with pytest.raises(ValueError, match="knows the labels no, yes; its classes_ must hold"):
        positive_probability(Says(np.full((2, 2), 0.5), ["no", "yes"]), TWO)


@pytest.mark.parametrize("label", [0, 1])
def test_a_model_of_one_class_predicts_it(label):
    model = DecisionTreeClassifier().fit(np.ones((3, 1)), np.full(3, label))
    assert positive_probability(model, np.ones((2, 1))).tolist() == [label, label]


def test_a_margin_becomes_its_sigmoid():
    X, rewards = observations()
    model = LinearSVC(random_state=0).fit(X, rewards)
    np.testing.assert_allclose(positive_probability(model, X), expit(model.decision_function(X)))


def test_neither_probability_nor_margin_is_an_error_that_says_what_to_do():
    class Labels(BaseEstimator):
        def predict(self, X):
            return np.ones(len(X))

    with pytest.raises(ValueError, match="neither predict_proba nor decision_function; wrap it"):
        positive_probability(Labels(), np.ones((1, 1)))
