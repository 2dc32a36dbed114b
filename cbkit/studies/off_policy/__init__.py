"""Off-policy evaluation and learning, where the truth is known and on real clicks."""
