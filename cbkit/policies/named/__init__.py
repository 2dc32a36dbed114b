"""The paper's policies by name, each a short composition of oracle, cold start, index, chooser."""
