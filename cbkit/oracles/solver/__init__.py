"""Weighted logistic regressions of an arm and its resamples, solved together."""
