"""Grids of experiments: what is run, in parallel and resumable, and the tables of the results."""
