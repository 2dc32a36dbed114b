"""Classifiers of five libraries, and what becomes of each: it plays, or is refused in words.

Optional libraries (extra ``oracles-test``) are imported only where their classifiers are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier, XGBRegressor, XGBRFClassifier

PLAYS = "plays"
DENSE = "needs dense contexts"


@dataclass(frozen=True)
class Row:
    """A classifier and its outcomes: ``"plays"``, or a pattern of the error.

    A trial's refusal is ``"cannot learn .*"``, and comes before the first round, as the others do.
    """

    make: Callable[[], Any]
    dense: str = PLAYS
    sparse: str = PLAYS
    streaming: str = r"must have a partial_fit method"
    library: str = "sklearn"


def _other(library: str, name: str, **parameters: Any) -> Callable[[], Any]:
    """Return what makes a classifier of a library that may be absent."""
    module, _, name = name.rpartition(".")
    path = f"{library}.{module}" if module else library
    return lambda: getattr(pytest.importorskip(path), name)(**parameters)


def _sampled(sampler: str, classifier: Any, **parameters: Any) -> Callable[[], Any]:
    """Return what makes a pipeline of a sampler of imbalanced-learn and a classifier."""

    def make() -> Any:
        pipeline = pytest.importorskip("imblearn.pipeline")
        return pipeline.make_pipeline(_other("imblearn", sampler, **parameters)(), classifier)

    return make


_REGRESSOR = "is a regressor"
_XGB = {"n_estimators": 3, "max_depth": 2, "n_jobs": 1}
_LGBM = {"n_estimators": 3, "min_child_samples": 2, "verbose": -1, "n_jobs": 1}
_CAT = {"iterations": 3, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
_LOGISTIC = LogisticRegression()

TABLE = {
    # scikit-learn by itself
    "logistic": Row(LogisticRegression),
    "hinge": Row(SGDClassifier, streaming=PLAYS),
    "log loss": Row(lambda: SGDClassifier(loss="log_loss"), streaming=PLAYS),
    "early stopping of SGD": Row(
        lambda: SGDClassifier(loss="log_loss", early_stopping=True),
        streaming=r"cannot learn .*partial_fit",
    ),
    "support vectors": Row(LinearSVC),
    "naive Bayes": Row(GaussianNB, sparse=DENSE, streaming=PLAYS),
    "naive Bayes of counts": Row(MultinomialNB, streaming=PLAYS),
    "naive Bayes of signs": Row(BernoulliNB, streaming=PLAYS),
    "discriminants": Row(LinearDiscriminantAnalysis, sparse=DENSE),
    "neighbours": Row(lambda: KNeighborsClassifier(10)),
    "forest": Row(lambda: RandomForestClassifier(3)),
    "boosting": Row(lambda: GradientBoostingClassifier(n_estimators=3)),
    "early stopping of boosting": Row(
        lambda: GradientBoostingClassifier(n_estimators=5, n_iter_no_change=2)
    ),
    "early stopping of histograms": Row(
        lambda: HistGradientBoostingClassifier(max_iter=3, early_stopping=True), sparse=DENSE
    ),
    "network": Row(lambda: MLPClassifier((3,), max_iter=3), streaming=PLAYS),
    "early stopping of a network": Row(
        lambda: MLPClassifier((3,), max_iter=3, early_stopping=True),
        streaming=r"cannot learn .*partial_fit",
    ),
    "wrong parameter": Row(
        lambda: LogisticRegression(C=-1.0), dense=r"cannot learn .*'C'", sparse=r"cannot learn"
    ),
    "regressor": Row(Ridge, dense=_REGRESSOR, sparse=_REGRESSOR),
    # scikit-learn around others
    "bagged neighbours": Row(lambda: BaggingClassifier(KNeighborsClassifier(2), n_estimators=2)),
    "calibrated": Row(lambda: CalibratedClassifierCV(LinearSVC())),
    "calibrated by isotonic steps": Row(
        lambda: CalibratedClassifierCV(DecisionTreeClassifier(), method="isotonic", cv=3)
    ),
    "grid search": Row(lambda: GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=5)),
    "grid search by a splitter": Row(
        lambda: GridSearchCV(BernoulliNB(), {"alpha": [0.1, 1]}, cv=StratifiedKFold(5))
    ),
    "random search": Row(
        lambda: RandomizedSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, n_iter=1, cv=3)
    ),
    "search of its own": Row(lambda: LogisticRegressionCV(Cs=2, cv=3)),
    "search without refit": Row(
        lambda: GridSearchCV(BernoulliNB(), {"alpha": [1, 2]}, refit=False),
        dense=r"cannot learn",
        sparse=r"cannot learn",
    ),
    "stacking": Row(
        lambda: StackingClassifier([("t", DecisionTreeClassifier()), ("b", BernoulliNB())], cv=2)
    ),
    "soft vote": Row(
        lambda: VotingClassifier([("l", _LOGISTIC), ("n", KNeighborsClassifier(2))], voting="soft")
    ),
    "hard vote": Row(
        lambda: VotingClassifier([("l", _LOGISTIC), ("t", DecisionTreeClassifier())]),
        dense=r"neither predict_proba nor decision_function",
        sparse=r"neither predict_proba nor decision_function",
    ),
    "one against the rest": Row(lambda: OneVsRestClassifier(_LOGISTIC)),
    "output codes": Row(
        lambda: OutputCodeClassifier(_LOGISTIC), dense=r"neither predict", sparse=r"neither predict"
    ),
    "several outputs": Row(
        lambda: MultiOutputClassifier(BernoulliNB()),
        dense=r"cannot learn .*two dimensions",
        sparse=r"cannot learn .*two dimensions",
        streaming=r"cannot learn",
    ),
    "scaled": Row(lambda: make_pipeline(MaxAbsScaler(), LogisticRegression())),
    "centred": Row(lambda: make_pipeline(StandardScaler(), LogisticRegression()), sparse=DENSE),
    "components": Row(lambda: make_pipeline(PCA(4), GaussianNB()), sparse=r"plays|needs dense"),
    "singular vectors": Row(lambda: make_pipeline(TruncatedSVD(4), LogisticRegression())),
    "best features": Row(lambda: make_pipeline(SelectKBest(k=3), DecisionTreeClassifier())),
    "more features than there are": Row(
        lambda: make_pipeline(TruncatedSVD(50), DecisionTreeClassifier()),
        dense=r"cannot learn .*n_components",
        sparse=r"cannot learn .*n_components",
    ),
    # XGBoost
    "xgboost": Row(lambda: XGBClassifier(**_XGB), library="xgboost"),
    "xgboost forest": Row(lambda: XGBRFClassifier(**_XGB), library="xgboost"),
    "xgboost in a pipeline": Row(
        lambda: make_pipeline(MaxAbsScaler(), XGBClassifier(**_XGB)), library="xgboost"
    ),
    "xgboost that stops early": Row(
        lambda: XGBClassifier(early_stopping_rounds=2, **_XGB),
        dense=r"cannot learn .*validation dataset",
        sparse=r"cannot learn .*validation dataset",
        library="xgboost",
    ),
    "xgboost regressor": Row(
        lambda: XGBRegressor(**_XGB), dense=_REGRESSOR, sparse=_REGRESSOR, library="xgboost"
    ),
    # LightGBM
    "lightgbm": Row(_other("lightgbm", "LGBMClassifier", **_LGBM), library="lightgbm"),
    "lightgbm in a pipeline": Row(
        lambda: make_pipeline(MaxAbsScaler(), _other("lightgbm", "LGBMClassifier", **_LGBM)()),
        library="lightgbm",
    ),
    "lightgbm that stops early": Row(
        _other("lightgbm", "LGBMClassifier", early_stopping_round=2, **_LGBM),
        dense=r"cannot learn .*early stopping",
        sparse=r"cannot learn .*early stopping",
        library="lightgbm",
    ),
    "lightgbm regressor": Row(
        _other("lightgbm", "LGBMRegressor", **_LGBM),
        dense=_REGRESSOR,
        sparse=_REGRESSOR,
        library="lightgbm",
    ),
    # CatBoost
    "catboost": Row(_other("catboost", "CatBoostClassifier", **_CAT), library="catboost"),
    "catboost in a pipeline": Row(
        lambda: make_pipeline(SelectKBest(k=3), _other("catboost", "CatBoostClassifier", **_CAT)()),
        library="catboost",
    ),
    "weighted catboost": Row(
        _other("catboost", "CatBoostClassifier", class_weights=(1, 2), **_CAT), library="catboost"
    ),
    "catboost that changes a list": Row(
        _other("catboost", "CatBoostClassifier", class_weights=[1, 2], **_CAT),
        dense=r"cannot copy",
        sparse=r"cannot copy",
        library="catboost",
    ),
    # imbalanced-learn
    "synthetic rows": Row(_sampled("over_sampling.SMOTE", _LOGISTIC), library="imblearn"),
    "rows drawn again": Row(
        _sampled("over_sampling.RandomOverSampler", DecisionTreeClassifier()), library="imblearn"
    ),
    "rows left out": Row(
        _sampled("under_sampling.RandomUnderSampler", BernoulliNB()), library="imblearn"
    ),
    "balanced forest": Row(
        _other("imblearn", "ensemble.BalancedRandomForestClassifier", n_estimators=3),
        library="imblearn",
    ),
    "balanced bagging": Row(
        _other("imblearn", "ensemble.BalancedBaggingClassifier", n_estimators=2),
        library="imblearn",
    ),
    "sampler alone": Row(
        _other("imblearn", "over_sampling.SMOTE"),
        dense=r"SMOTE",
        sparse=r"SMOTE",
        library="imblearn",
    ),
    "vectors of a share": Row(
        NuSVC, dense=r"plays|specified nu is infeasible", sparse=r"plays|nu is infeasible"
    ),
}
