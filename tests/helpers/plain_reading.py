"""Slow readers without any check: what an accepted file must have meant."""

import re

import numpy as np


def lines_of(content):
    lines = re.split("\r\n|\r|\n", content.decode("utf-8-sig"))
    return lines[:-1] if lines[-1] == "" else lines


def read_index_value(rows, first):
    """Read rows `label,label index:value ...`: per row a dict of features and a set of labels."""
    features, labels = [], []
    for row in rows:
        tokens = row.split()
        has_labels = tokens and not row[0].isspace() and ":" not in tokens[0]
        labels.append({int(label) for label in tokens.pop(0).split(",")} if has_labels else set())
        pairs = (token.split(":") for token in tokens)
        features.append({int(index) - first: float(value) for index, value in pairs})
    return features, labels


def dense(features, labels, n_features, arms):
    X = [[row.get(column, 0.0) for column in range(n_features)] for row in features]
    return np.array(X), np.array([[arm in row for arm in arms] for row in labels])


def plain_extreme(content):
    head, *rows = lines_of(content)
    n_rows, n_features, n_arms = map(int, head.split())
    return dense(*read_index_value(rows[:n_rows], 0), n_features, range(n_arms))


def plain_svmlight(content):
    rows = [line.split("#")[0] for line in lines_of(content)]
    features, labels = read_index_value([row for row in rows if row.strip()], 1)
    n_features = max(max(row, default=-1) for row in features) + 1
    return dense(features, labels, n_features, sorted(set.union(*labels)))


def plain_arff(content, arms):
    names, values, in_data = [], [], False
    for line in (line.strip(" \t") for line in lines_of(content)):
        declared = re.match(r"@attribute[ \t]+('[^']*'|\"[^\"]*\"|[^ \t{]+)", line, re.IGNORECASE)
        if not in_data:
            in_data = line.lower() == "@data"
            names += [declared[1].strip("'\"")] if declared else []
        elif line.startswith("{"):
            entries = [entry.split() for entry in line[1:-1].split(",") if entry.strip()]
            stored = {int(index): float(value.strip("'\"")) for index, value in entries}
            values.append([stored.get(column, 0.0) for column in range(len(names))])
        elif line and not line.startswith("%"):
            values.append([float(value.strip(" \t'\"")) for value in line.split(",")])
    values = np.array(values)
    kept = [column for column, name in enumerate(names) if name not in arms]
    return values[:, kept], values[:, [names.index(arm) for arm in arms]]
