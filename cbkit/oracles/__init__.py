"""Reward oracles: binary classifiers, one per arm and resample."""
