"""Weighted logistic regressions of an arm and its resamples, solved together.

What each route earns: CPU seconds of fitting without it, divided by those with it, on refits
recorded from real runs (`tests/benchmarks/replay_refits.py`, against a copy in which `newton` does
not take the route). Probabilities agree within 3e-5 either way.

====================================  ==========================================================
route                                 without it fitting takes
====================================  ==========================================================
`one_model`: one model per arm        1.95 (bibtex), 1.99 (corel5k), 1.80 (delicious)
`observation_space`: short histories  3.05 (bibtex, fresh resamples)
`tall`, dense contexts                2.17 (mediamill-2000), 2.13 (mediamill-like), 1.22 (yeast)
====================================  ==========================================================

Sparse contexts with many more observations than features had a single-precision route as well:
without it fitting takes 1.16 (kept resamples) and .99 (fresh) times as long on tmc2007, .88 and .78
on delicious, and .83 on corel5k, and the arms chosen are the same. It was left out.
"""
