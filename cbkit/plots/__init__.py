"""Figures of results; every function takes and returns axes."""
