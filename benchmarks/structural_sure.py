"""How sure `Structural` is, against the truth: `python benchmarks/structural_sure.py search|show`.

    python benchmarks/structural_sure.py search --output searches.jsonl --runs 1 [--files eia wdbc]
    python benchmarks/structural_sure.py show searches.jsonl [more.jsonl ...]

search: each draw takes 8 to 20 attributes of a data set at random and makes two files of them,
those strongly correlated apart. The second file holds the people of the first, some of them, or
others. `--level split` splits the first file instead, into halves of the same people or strangers:
there an intruder knows the truth. Each search is one line.
show: the logistic curve of the deviations that fits FITTED best, and the reliability of links
in HELD_OUT by the earlier curve and by the present one; with splits, whether they better it.

A search counts once, whatever its number of links: they are right or wrong together. Of strangers
no link is right. For speed there are no random starts, and pairs of files of one draw have the
controls of the first; strangers whose structure is followed have their own.
"""

from __future__ import annotations

import argparse
import json
import logging
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
from scipy.optimize import minimize

import unveil
from two_files import halves, planted
from unveil.attacks import Structural
from unveil.attacks.structural.confidence import EVEN_CHANCE, SURENESS_SLOPE
from unveil.attacks.structural.search import StructureSearch
from unveil.measures.identity.forecast import link_probability
from unveil.workflows.auditing.half_linkage import split_attributes

FITTED = ("planted", "dermatology", "eia")
HELD_OUT = ("census", "wdbc", "water-treatment", "ionosphere")
CURVES = {"earlier": (5.5, 1.2), "present": (EVEN_CHANCE, SURENESS_SLOPE)}
RECORDS, OVERLAPS, STRANGERS = 70, (1, 0.9, 0.8, 0.7, 0.6, 0.5), 3
WIDTHS = 8, 21  # attributes of both files
NOBODY = "0%"
BINS = np.array([0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0])
LEAST = 1e-6  # the distance of a probability from 0 and from 1, of which a log is taken


def draws(name, run):
    """The pairs of files of one draw: of each level the attributes, and the people of both."""
    rng = np.random.default_rng([run, sum(map(ord, name)), 77])
    two = planted(400, 8, run) if name == "planted" else halves(name)
    every = pl.concat(two, how="horizontal")
    names = rng.permutation(every.columns)[: rng.integers(*WIDTHS)].tolist()
    both = halved(every, names)
    rows = rng.permutation(len(every))[: RECORDS * (STRANGERS + 1)].reshape(STRANGERS + 1, RECORDS)
    people = []
    for share in OVERLAPS:
        n = round(share * RECORDS)
        people.append((f"{share:.0%}", rows[0], np.concatenate([rows[0, :n], rows[1, n:]])))
    yield "files", both, [*people, *((NOBODY, rows[0], others) for others in rows[1:])]
    split = halved(every, both[0].columns)
    if min(file.width for file in split) > 1:
        one, other = rows[0].reshape(2, -1)
        same = [("100%", own, own) for own in (one, other)]
        yield "split", split, [*same, (NOBODY, one, other), (NOBODY, other, one)]


def halved(every, names):
    """Two files of these attributes, those that are strongly correlated apart."""
    split = split_attributes(unveil.Microdata(every.select(names)), names)
    return every.select(split.first), every.select(split.second)


def searched(both, rows, others, seed):
    """What one search says of itself and what is right; None if it refuses the files."""
    order = np.random.default_rng(seed).permutation(len(others))
    truth = np.where(others == rows, np.arange(len(rows)), -1)[order]
    known = truth if (truth >= 0).any() else None
    files = both[0][rows], both[1][others[order]]
    try:
        links = unveil.link(*files, Structural(starts=0), truth=known, seed=seed)
    except unveil.UnveilError:
        return None
    details = links.finder.details
    chosen = max(details["evidence"], key=lambda one: one["likelihood"])
    probability = None if details["guess"] else link_probability(links)
    hits = np.zeros(len(rows)) if known is None else unveil.measures.hits(links)
    return {
        "method": details["method"],
        "deviations": chosen["deviations"],
        # The posterior of the best link, before it is multiplied by the sureness.
        "p": None if probability is None else (probability / max(details["sure"], 1e-9)).tolist(),
        "hits": hits.tolist(),
    }


def once(known, search=StructureSearch.null_likelihoods):
    """The controls of the first pair of files, for all pairs."""

    def null_likelihoods(self, controls):
        if not known:
            known.update(search(self, controls))
        return dict(known)

    return null_likelihoods


def search(given):
    """Write every search as one line."""
    with Path(given.output).open("w", encoding="utf-8") as output:
        for run, name in product(range(given.runs), given.files):
            for level, both, people in draws(name, run):
                controls = {}
                if level != given.level:
                    continue
                for share, *rows in people:
                    with patch.object(StructureSearch, "null_likelihoods", once(controls)):
                        found = searched(both, *rows, run)
                    if found and found["p"] and share == NOBODY:
                        found = searched(both, *rows, run)
                    if found:
                        tag = {"name": name, "run": run, "level": level, "shared": share}
                        print(json.dumps(tag | found), file=output, flush=True)


def sureness(curve, deviations):
    """The sureness of a logistic curve: the deviations at which it is 1/2, and its slope."""
    even, slope = curve
    return 1 / (1 + np.exp(-np.clip(slope * (deviations - even), -50, 50)))


def log_score(curve, searches):
    """The mean over searches of the mean log score of links; the lower, the better."""
    scores = []
    for one in searches:
        p, hits = np.array(one["p"]), np.array(one["hits"])
        p = np.clip(p * sureness(curve, one["deviations"]), LEAST, 1 - LEAST)
        scores.append(-(hits * np.log(p) + (1 - hits) * np.log1p(-p)).mean())
    return np.mean(scores)


def reliability(curve, searches):
    """Of links in bins of their claimed probability: how many, the claimed, and the right."""
    claimed, right = (np.concatenate(own) for own in zip(*(
        (np.array(one["p"]) * sureness(curve, one["deviations"]), one["hits"]) for one in searches
    ), strict=True))  # fmt: skip
    places = np.clip(np.digitize(claimed, BINS) - 1, 0, len(BINS) - 2)
    for place in range(len(BINS) - 1):
        own = places == place
        mean = [f"{values[own].mean():.0%}" if own.any() else "" for values in (claimed, right)]
        yield f"{BINS[place]:.2f}-{BINS[place + 1]:.2f}", str(own.sum()), *mean


def moved(searches):
    """The log score of draws whose first file was split, by a curve that these splits move.

    The prior of the move is normal; its deviation is given with the scores.
    """
    even, slope = CURVES["present"]
    draws_of = {level: {} for level in ("files", "split")}
    for one in searches:
        own = draws_of[one["level"]].setdefault((one["name"], one["run"]), [])
        own += [one] if one["p"] else []
    for deviation in (0, 0.5, 1, 2):
        scores = []
        for draw, splits in draws_of["split"].items():
            moves = np.linspace(-3, 3, 301) * deviation
            losses = [
                (log_score((even + move, slope), splits) * len(splits) if splits else 0.0)
                + (move**2 / deviation**2 / 2 if deviation else 0.0)
                for move in moves
            ]
            curve = even + moves[np.argmin(losses)], slope
            scores += [log_score(curve, [one]) for one in draws_of["files"].get(draw, [])]
        print(f"moved by splits, prior deviation {deviation}: {np.mean(scores):.4f}, {len(scores)}")


def show(given):
    """The fitted curve, the reliability of links, and what strangers come to."""
    texts = [Path(path).read_text(encoding="utf-8") for path in given.searches]
    lines = [line for text in texts for line in text.splitlines()]
    searches = list(map(json.loads, lines))
    every = [one for one in searches if one["level"] == "files"]
    for title, names in (("fitted", FITTED), ("held out", HELD_OUT)):
        own = [one for one in every if one["name"] in names]
        followed = [one for one in own if one["p"]]
        strangers = [one["deviations"] for one in own if one["shared"] == NOBODY]
        print(
            f"\n{title}: {len(own)} searches, {len(followed)} followed; {len(strangers)} of ",
            end="",
        )
        print(f"strangers, {max(strangers):.2f} deviations at most")
        best = minimize(log_score, (5.0, 1.0), (followed,), method="Nelder-Mead")
        print(f"best curve {best.x.round(2)}, log score {best.fun:.3f}")
        for name, curve in CURVES.items():
            most = max(sureness(curve, np.array(strangers)))
            print(f"\n{name} {curve}: log score {log_score(curve, followed):.3f}; ", end="")
            print(f"sure of strangers {most:.2f} at most\n\n| claimed | links | mean | right |")
            print("|---|---|---|---|")
            for row in reliability(curve, followed):
                print(f"| {' | '.join(row)} |")
    if len(every) < len(searches):
        moved(searches)


def main():
    """Search, or show what was searched."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["search", "show"])
    parser.add_argument("searches", nargs="*")
    parser.add_argument("--output", default="searches.jsonl")
    parser.add_argument("--files", nargs="+", default=[*FITTED, *HELD_OUT])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--level", choices=["files", "split"], default="files")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    (search if given.verb == "search" else show)(given)


if __name__ == "__main__":
    main()
