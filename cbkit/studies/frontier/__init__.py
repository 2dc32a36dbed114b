"""What was tried to beat greedy with smoothing on real sets, and what came of it."""
