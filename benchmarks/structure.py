"""Exact structure that masks leave in a release: `python benchmarks/structure.py [name ...]`.

Swapping leaves pairs, and the attack `exchange` follows them. Each experiment looks for something
of that kind in another mask, with a few lines of numpy beside the attacks of the product;
docs/structure-in-masks.md has what was found. Three seeds, Census (1,080 x 13) or the embedded
survey; all of them take some ten minutes.
"""

import logging
import sys
from itertools import combinations

import numpy as np
import polars as pl

import unveil
from exchange import people, shuffled
from unveil import Intruder, Microdata, Schema, attacks, masks, measures

SEEDS = (1, 2, 3)
KEYS = ["sex", "age", "education", "marital_status", "occupation"]


def matrix(data):
    """A table of numbers as an array."""
    return data.to_frame("polars").to_numpy().astype(float)


def table(values, names):
    """An array as a table of numbers, all of them quasi-identifiers."""
    return Microdata(pl.DataFrame(values, schema=names), Schema(quasi=names, numeric=names))


def linked(data, release, attack, **intruder):
    """The links of an attack that knows the plan if it can."""
    known = Intruder(channel=bool(attack.knows), **intruder)
    return unveil.attack(data, release, attack, intruder=known, seed=1)


def claims(links):
    """Links held to be more than 90 % sure, and how many of them are right."""
    found = measures.forecast(links, sample=10**6)
    return f"{found.right:.0f} of {found.claimed} claims right"


def show(*cells):
    """One line of a table."""
    print(" | ".join(map(str, cells)), flush=True)


def mean(values):
    """The mean over the seeds."""
    return f"{np.mean(values):.1f}"


# --- microaggregation: the members of a group add up ---------------------------------------------


def confirmed_groups(known, released, slack, near=36):
    """Sets of known people that add up to a released group, where only one such set is near.

    Sums of two halves are compared: one number of all columns first, then each column. `slack` is
    the rounding of a mean. Yields the group and its people, as rows of `known`.
    """
    centres, sizes = np.unique(released, axis=0, return_counts=True)
    weights = 1 / known.std(0) * np.sqrt(np.arange(2, 2 + known.shape[1]))
    for group, (centre, size) in enumerate(zip(centres, sizes, strict=True)):
        if size > 5:  # the last groups of MDAV: too many sets
            continue
        distance = (((known - centre) / known.std(0)) ** 2).sum(1)
        rows = np.argsort(distance, kind="stable")[:near]
        halves = [np.array(list(combinations(rows, one))) for one in (size - size // 2, size // 2)]
        sums = [known[one].sum(1) @ weights for one in halves]
        order = np.argsort(sums[1])
        rest, margin = size * (centre @ weights) - sums[0], size * slack * weights.sum()
        first = np.searchsorted(sums[1][order], rest - margin)
        last = np.searchsorted(sums[1][order], rest + margin, side="right")
        pairs = np.repeat(np.arange(len(rest)), last - first)
        place = np.arange(len(pairs)) - np.repeat(
            np.cumsum(last - first) - (last - first), last - first
        )
        sets = np.c_[halves[0][pairs], halves[1][order[first[pairs] + place]]]
        sets = np.unique(np.sort(sets, 1), axis=0)
        sets = sets[(np.diff(sets, axis=1) > 0).all(1)]
        fits = (np.abs(known[sets].mean(1) - centre) <= slack).all(1)
        if fits.sum() == 1:
            yield group, sets[fits][0]


def groups():
    """Microaggregation: who is in which group, for certain."""
    show(
        "k",
        "values",
        "columns",
        "known",
        "group all known",
        "nearest is right",
        "confirmed",
        "wrong",
    )
    whole = people("census")
    for k, places, columns, share in [
        *((3, None, 13, share) for share in (1.0, 0.8, 0.5)),
        *((5, None, 13, share) for share in (1.0, 0.8, 0.5)),
        (5, 0, 13, 0.8), (5, None, 3, 0.8), (5, 0, 3, 0.8), (5, 0, 2, 0.8),
    ]:  # fmt: skip
        whole_groups, near, right, wrong = [], [], [], []
        for seed in SEEDS:
            release = unveil.mask(whole, [masks.Microaggregation(k=k)], seed=seed)
            original = matrix(whole)[:, :columns]
            released = matrix(release.data)[:, :columns]
            released = released if places is None else released.round(places)
            group = np.unique(released, axis=0, return_inverse=True)[1]
            who = np.random.default_rng(seed).permutation(len(whole))[: int(share * len(whole))]
            knows = list(whole.columns[:columns])
            files = table(original[who], knows)
            place = np.full(len(whole), -1)
            place[who] = np.arange(len(who))
            links = unveil.attack(files, table(released, knows), attacks.Distance(), truth=place)
            complete = np.isin(group, group[np.setdiff1d(np.arange(len(whole)), who)], invert=True)
            whole_groups.append(100 * np.mean(complete[who]))
            near.append(100 * np.mean(links.n_closer == 0))
            slack = 1e-6 if places is None else 0.5
            found = list(confirmed_groups(original[who], released, slack))
            good = [len(rows) for g, rows in found if (group[who[rows]] == g).all()]
            right.append(100 * sum(good) / len(who))
            wrong.append(100 * sum(len(rows) for _, rows in found) / len(who) - right[-1])
        values = "exact" if places is None else "whole"
        shares = (f"{mean(one)} %" for one in (whole_groups, near, right, wrong))
        show(k, values, columns, f"{share:.0%}", *shares)


def last_member():
    """Microaggregation: who knows all members of a group but one computes that one."""
    whole = people("census")
    release = unveil.mask(whole, [masks.Microaggregation(k=5)], seed=1)
    original, released = matrix(whole), matrix(release.data)
    group = np.unique(released, axis=0, return_inverse=True)[1]
    for label, shown in (("exact", released), ("whole", released.round())):
        off = []
        for one in range(len(original)):
            others = (group == group[one]) & (np.arange(len(original)) != one)
            value = (others.sum() + 1) * shown[one] - original[others].sum(0)
            off.append(np.abs(value - original[one]).max())
        show("last member", label, f"largest error {max(off):.2g}")


# --- individual ranking: a value lies between the means beside its own ---------------------------


def admitted(value, released):
    """Rows that can show a value: the means before and after theirs enclose it."""
    means = np.unique(released)
    place = np.searchsorted(means, released)
    before = np.r_[-np.inf, means][place]
    after = np.r_[means, np.inf][place + 1]
    return (before <= value) & (value <= after)


def ranking():
    """Individual ranking: what somebody learns who knows one person only."""
    show("k", "columns", "candidates", "alone", "truth excluded", "tailored, 1 person", "all")
    whole = people("census")
    for k, columns in [(3, 2), (3, 3), (3, 13), (10, 2), (10, 3), (10, 13)]:
        release = unveil.mask(whole, [masks.IndividualRanking(k=k)], seed=1)
        original, released = matrix(whole), matrix(release.data)
        left, alone, lost = [], [], 0
        for one in range(len(original)):
            rows = np.ones(len(original), bool)
            for j in range(columns):
                rows &= admitted(original[one, j], released[:, j])
            left.append(rows.sum())
            lost += not rows[one]
            alone.append(100 * (rows.sum() == 1))
        knows = list(whole.columns[:columns])
        single = [
            linked(whole, release, attacks.Tailored(), knows=knows, records=[one]).hits[0]
            for one in range(0, 1080, 36)
        ]
        full = measures.risk(linked(whole, release, attacks.Tailored(), knows=knows)).share
        show(
            k, columns, mean(left), f"{mean(alone)} %", lost,
            f"{100 * np.mean(single):.0f} % of 30", f"{100 * full:.1f} %",
        )  # fmt: skip


# --- Mondrian: the ends of a range are values of members -----------------------------------------


def ranges():
    """Mondrian with ranges: whoever has the value at an end of a range is in that class."""
    show("k", "known", "one class by ranges", "by ends", "wrong", "strangers in a class by ends")
    whole = people("census")
    keys, half = list(whole.columns[:5]), len(whole) // 2
    for k, known in [(5, 1), (5, 2), (5, 5), (10, 1), (10, 2), (10, 5)]:
        found = []
        for seed in SEEDS:
            rows = np.random.default_rng(seed).permutation(len(whole))
            mask = masks.Mondrian(k=k, columns=keys)
            cells = unveil.mask(whole.take(rows[:half]), [mask], seed=seed).data.to_frame("polars")
            classes, own = np.unique(
                cells.select(keys).to_numpy().astype(str), axis=0, return_inverse=True
            )
            ends = np.array([[cell.split("..") for cell in one] for one in classes])
            low, high = ends[..., 0].astype(float), ends[..., -1].astype(float)
            values = matrix(whole)[rows][:, None, :known]
            low, high = low[:, :known], high[:, :known]
            inside = ((low <= values) & (values <= high)).all(2)
            at_end = inside & ((values == low) | (values == high)).any(2)
            single = at_end.sum(1) == 1
            right = single[:half] & (at_end[:half].argmax(1) == own)
            shares = (inside[:half].sum(1) == 1, right, single[:half] & ~right, single[half:])
            found.append([100 * np.mean(one) for one in shares])
        show(k, known, *(f"{mean(one)} %" for one in np.transpose(found)))


# --- local suppression: a star was needed --------------------------------------------------------


def stars():
    """Local suppression: values that would not have needed a star are improbable under it."""
    show("keys", "k", "one star", "commonest", "needed", "truth ruled out", "sure", "sure, right")
    for first, k in [(one, k) for one in ("age", "region") for k in (3, 5, 10)]:
        keys, counts = [first, *(one for one in KEYS if one != "age")], np.zeros(6)
        for seed in SEEDS:
            frame = unveil.households(5000, seed=seed).to_frame("polars").drop_nulls(keys)
            frame = frame.with_columns((pl.col("age") // 10).cast(pl.String)).select(keys)
            data = Microdata(frame, Schema(quasi=keys, nominal=keys))
            mask = masks.LocalSuppression(k=k, columns=keys)
            released = unveil.mask(data, [mask], seed=seed).data.to_frame("polars")
            before, cells = (one.to_numpy().astype(str) for one in (frame, released))
            counts += guesses_under_stars(before, cells, k)
        shares = (f"{100 * one / counts[0]:.1f} %" for one in counts[1:4])
        show(first, k, int(counts[0]), *shares, int(counts[4]), int(counts[5]))


def guesses_under_stars(before, cells, k):
    """Rows with one star, right guesses without and with the rule, truths ruled out, sure ones."""
    rows, sizes = np.unique(cells, axis=0, return_counts=True)
    size_of = {tuple(row): size for row, size in zip(rows, sizes, strict=True)}
    found = np.zeros(6)
    for row, truth in zip(cells, before, strict=True):
        if (row == "*").sum() != 1:
            continue
        j = int(np.flatnonzero(row == "*")[0])
        shown = cells[:, j][cells[:, j] != "*"]
        values, frequency = np.unique(shown, return_counts=True)
        fitting = [size_of.get((*row[:j], value, *row[j + 1 :]), 0) for value in values]
        needed = np.array(fitting) < k - 1  # k - 1 like it, and no star is needed
        weights = np.where(needed, frequency, 0)
        guess = values[weights.argmax()] if needed.any() else values[frequency.argmax()]
        sure = needed.sum() == 1
        found += [
            1,
            values[frequency.argmax()] == truth[j],
            guess == truth[j],
            truth[j] in values and not needed[values == truth[j]].all(),
            sure,
            sure and guess == truth[j],
        ]
    return found


# --- PRAM: are the margins fixed? ----------------------------------------------------------------


def pram():
    """Invariant PRAM keeps frequencies on average only; the matrix can be read off a release."""
    columns = ["region", "sex", "education", "marital_status", "occupation"]
    off, errors = [], []
    for seed in SEEDS:
        data = unveil.households(1000, seed=seed)
        release = unveil.mask(data, [masks.Pram(theta=0.3, columns=columns)], seed=seed)
        for column in columns:
            counts = [
                dict(one.column(column).drop_nulls().value_counts().iter_rows())
                for one in (data, release.data)
            ]
            names = sorted(counts[0])
            true, seen = (np.array([one.get(name, 0) for name in names]) for one in counts)
            off.append(np.abs(true - seen).sum() / 2)
            change = [0.3 * one.min() / np.maximum(one, 1) for one in (true, seen)]
            errors.append(np.abs(change[0] - change[1]).max())
    show("records that moved the margins, of 1,000", mean(off))
    show("columns with the same margins", f"{sum(one == 0 for one in off)} of {len(off)}")
    show("probability of change from the release's margins, largest error", f"{max(errors):.3f}")


# --- sampling: weights tell the stratum ----------------------------------------------------------


def weights():
    """Weights N / n of a stratified sample, with and without what they tell."""
    show("strata", "weights that name one stratum", "records", "linked without", "with")
    for by in (["region"], ["region", "sex"]):
        named, records, without, with_weights = [], [], [], []
        for seed in SEEDS:
            people_of = unveil.households(10_000, seed=seed).to_frame("polars").drop_nulls(KEYS)
            code = people_of.select(pl.struct(by).rank("dense")).to_series().to_numpy() - 1
            sizes = np.bincount(code)
            rng = np.random.default_rng(seed)
            drawn = [
                rng.choice(np.flatnonzero(code == one), int(4 * sizes[one] ** 0.5), replace=False)
                for one in range(len(sizes))
            ]
            rows = np.concatenate(drawn)
            weight = (sizes / np.array([len(one) for one in drawn]))[code[rows]]
            seen, place, n = np.unique(weight, return_inverse=True, return_counts=True)
            # Weights times records are the size of the stratum, which is published.
            fits = np.isclose((seen * n)[:, None], sizes[None, :])
            single = fits.sum(1) == 1
            named.append(f"{single.sum()} of {len(sizes)}")
            read = np.where(single[place], fits.argmax(1)[place], -1)
            records.append(100 * np.mean(read == code[rows]))
            rest = [one for one in KEYS if one not in by]
            base = np.column_stack([people_of[one].rank("dense").to_numpy() for one in rest])
            without.append(100 * exact_links(base[rows], base[rows]))
            with_weights.append(
                100 * exact_links(np.c_[base[rows], code[rows]], np.c_[base[rows], read])
            )
        shares = (f"{mean(one)} %" for one in (records, without, with_weights))
        show("x".join(by), ", ".join(named), *shares)


def exact_links(known, released):
    """The share linked by equal cells, ties by their share."""
    cells, n = np.unique(released, axis=0, return_counts=True)
    size = dict(zip(map(tuple, cells), n, strict=True))
    return np.mean([(k == r).all() / size[tuple(r)] for k, r in zip(known, released, strict=True)])


# --- rounding, noise, top coding: columns that add up --------------------------------------------


def identities():
    """PTOTVAL = POTHVAL + PEARNVAL in Census: what masking each of them by itself leaves."""
    data = people("census")
    parts = ["PTOTVAL", "POTHVAL", "PEARNVAL"]
    for mask in (masks.Rounding(base=1000), masks.AdditiveNoise(scale=0.25)):
        release = unveil.mask(data, [mask], seed=1)
        before, after = (
            np.column_stack([one.column(name).to_numpy() for name in parts])
            for one in (data, release.data)
        )
        error = after - before
        spread = error.var(0)  # known to whoever knows the plan
        gap = after[:, 0] - after[:, 1] - after[:, 2]
        better = error - np.outer(gap, spread / spread.sum() * [1, -1, -1])
        ratio = np.sqrt((better**2).mean(0) / (error**2).mean(0))
        show(type(mask).__name__, "error left after using the sum", ratio.round(2))
    for mask in (masks.Rounding(base=20_000), masks.TopCoding(share=0.1)):
        release = shuffled(unveil.mask(data, [mask], seed=1), 1)
        risk = measures.risk(linked(data, release, attacks.Tailored(), knows=list(data.columns)))
        show(type(mask).__name__, f"tailored links {risk.expected:.0f}, ceiling {risk.ceiling:.0f}")


# --- permutations: what is left of pairs ---------------------------------------------------------


def permutations():
    """Rank permutation: values in cycles of two, and what following pairs does with them."""
    show("window", "in pairs or fixed", "tailored", "exchange", "3 columns: tailored", "exchange")
    data = people("census")
    for window in (1, 2, 3, 5, 11, 54, 270, 540):
        paired, cells = [], []
        for seed in SEEDS:
            mask = masks.RankPermutation(p=100 * window / 1080 + 1e-9)
            release = unveil.mask(data, [mask], seed=seed)
            owner = np.argsort(matrix(data)[:, 1])  # AGI, all values distinct
            shown = np.searchsorted(matrix(data)[owner, 1], matrix(release.data)[:, 1])
            source = owner[shown]
            paired.append(100 * np.mean(source[source] == np.arange(len(source))))
        release = shuffled(release, 1)
        for columns in (13, 3):
            for attack in (attacks.Tailored(matching="posterior"), attacks.Exchange()):
                links = linked(data, release, attack, knows=list(data.columns[:columns]))
                cells.append(f"{100 * measures.risk(links).share:.1f} % ({claims(links)})")
        show(window, f"{mean(paired)} %", *cells)


EXPERIMENTS = (groups, last_member, ranking, ranges, stars, pram, weights, identities, permutations)


def run(experiments):
    """Those named on the command line, or all."""
    logging.disable(logging.WARNING)
    chosen = set(sys.argv[1:]) or {one.__name__ for one in experiments}
    for experiment in experiments:
        if experiment.__name__ in chosen:
            print(f"\n{experiment.__name__}: {experiment.__doc__}", flush=True)
            experiment()


if __name__ == "__main__":
    run(EXPERIMENTS)
