"""The paper's question: which classifiers make good policies, on which data, and at what cost."""
