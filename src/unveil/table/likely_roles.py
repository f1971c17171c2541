"""Likely roles of columns by name and content: a question for a person, never a decision."""

import re

import polars as pl

from unveil.table.columns import is_whole, stored_as
from unveil.table.roles import Role

MOST_MEMBERS = 8  # of a household, on average
FEWEST_RECORDS = 20  # so many distinct values may be a coincidence
NEARLY_ALL = 0.95  # share of the records with a value of their own
# Words of a column's name, also in the languages of many household surveys.
_WORDS: dict[Role, str] = {
    "weight": r"\w*weights?|wgt|wts?|pwt|pond\w*|peso|gewicht",
    "household": r"hh\w*|hid|idhh|households?|dwellings?|famil\w*|hogar|menage|haushalt",
    "stratum": r"strat\w*|psu|ssu|clusters?|upm",
    "identifier": r"ids?|\w+id|person|number|nr|ssn|passport|iban|\w*names?|e?mails?|\w*phones?|tel"
    r"|address\w*",
}


def likely_role(column: pl.Series) -> Role | None:
    """The role that a column without one may have, by its name and its cells; None: no idea.

    >>> likely_role(pl.Series("ori_hid", [1, 1, 2, 3, 3, 3]))
    'household'
    >>> likely_role(pl.Series("sampling_weight", [120.5, 88.25, 99.0]))
    'weight'
    """
    present = column.drop_nulls()
    n, distinct, coded = len(present), present.n_unique(), _is_coded(column)
    fits: dict[Role, bool] = {
        "weight": present.dtype.is_numeric() and bool((present > 0).all()),
        "household": coded and n / MOST_MEMBERS <= distinct < n,
        "stratum": coded and 1 < distinct <= n / 2,
        "identifier": coded and distinct >= NEARLY_ALL * n,
    }
    words = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column.name))
    for role, pattern in _WORDS.items():
        if n and fits[role] and any(re.fullmatch(pattern, word.lower()) for word in words):
            return role
    return "identifier" if all_differ(column) else None


def all_differ(column: pl.Series) -> bool:
    """Whether each of many records has a whole number or a text of its own."""
    return _is_coded(column) and column.drop_nulls().n_unique() == len(column) > FEWEST_RECORDS


def _is_coded(column: pl.Series) -> bool:
    return is_whole(column) or stored_as(column) == "text"
