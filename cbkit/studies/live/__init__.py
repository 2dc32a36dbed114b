"""Live use: a shop whose arms come and go, a policy behind HTTP, what exact propensities cost."""
