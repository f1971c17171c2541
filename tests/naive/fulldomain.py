"""Full-domain generalisation by looking at every choice of levels, class by class."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import exp, inf, log

SLACK = 1e-9


def best(table, asked, most, loss):
    """The least loss of any choice of levels, and every choice that has it; none if none does."""
    values, ladders = table["values"], table["groups"]
    found, nodes = inf, []
    for node in product(*(range(len(groups)) for groups in ladders)):
        gone = left_out(table, node, asked)
        if len(gone) > most or len(gone) == len(values):
            continue
        lost = lost_at(table, node, gone, loss)
        if lost < found - SLACK:
            found, nodes = lost, []
        if lost <= found + SLACK:
            nodes.append(node)
    return found, nodes


def left_out(table, node, asked):
    """The records in classes that break what only counts; then, of what is left, anything."""
    released = keys(table, table["values"], node)
    people = Counter(keys(table, table["population"], node))
    growing = [one for one in asked if one[0] in ("size", "people", "distinct")]

    def broken(rules, gone):
        kept = [i for i in range(len(released)) if i not in gone]
        classes = {i: [j for j in kept if released[j] == released[i]] for i in kept}
        return {i for i in kept if not keeps(rules, classes[i], kept, people[released[i]])}

    gone = broken(growing, set())
    while new := broken(asked, gone):
        gone |= new
    return gone


def keys(table, rows, node):
    chosen = [groups[level] for groups, level in zip(table["groups"], node, strict=True)]
    return [tuple(group[value] for group, value in zip(chosen, row, strict=True)) for row in rows]


def keeps(asked, members, everybody, people):
    return all(_keeps(name, given, members, everybody, people) for name, *given in asked)


def _keeps(name, given, members, everybody, people):
    if name in ("size", "people"):
        return (len(members) if name == "size" else people) >= given[0]
    codes, bound, *least = given
    mine, whole = ([codes[i] for i in some] for some in (members, everybody))
    if name == "distinct":
        return len(set(mine)) >= bound
    if name == "entropy":
        return exp(entropy(mine)) >= bound * (1 - SLACK)
    if name == "recursive":
        return recursive(mine, bound, *least)
    far = {"share": share, "equal": equal, "ordered": ordered}[name]
    return far(mine, whole) <= bound + SLACK


def entropy(values):
    return -sum(c / len(values) * log(c / len(values)) for c in Counter(values).values())


def recursive(values, bound, least):
    runs = sorted(Counter(values).values(), reverse=True)
    rest = sum(runs[least - 1 :])
    return rest > 0 and runs[0] / rest < bound * (1 - SLACK)


def share(mine, everybody):  # noqa: ARG001
    return max(Counter(mine).values()) / len(mine)


def equal(mine, everybody):
    shares, whole = Counter(mine), Counter(everybody)
    return sum(max(shares[v] / len(mine) - whole[v] / len(everybody), 0) for v in whole)


def ordered(mine, everybody):
    mine, everybody = ([v for v in some if v >= 0] for some in (mine, everybody))
    listed = sorted(set(everybody))
    if not mine or len(listed) < 2:
        return 0.0
    upto = [[sum(v <= one for v in some) / len(some) for one in listed[:-1]]
            for some in (mine, everybody)]  # fmt: skip
    return sum(abs(a - b) for a, b in zip(*upto, strict=True)) / (len(listed) - 1)


def lost_at(table, node, gone, loss):
    """What is lost: of a record left out everything."""
    values, n = table["values"], len(table["values"])
    kept = [i for i in range(n) if i not in gone]
    if loss == "cells":
        cost, lost = table["costs"], table["lost"]
        released = sum(cost[j][node[j]][values[i][j]] for i in kept for j in range(len(node)))
        return (released + len(gone) * sum(lost)) / n
    classes = Counter(keys(table, [values[i] for i in kept], node))
    if loss == "discernibility":
        return sum(size**2 for size in classes.values()) + n * len(gone)
    return n / len(classes) / loss[1]
