"""Files with no common attribute: linked by what the records of each are among their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.aggregation.quantifiers import Family
from unveil.attacks.base import Attack, Matching
from unveil.attacks.probabilistic import Probabilistic
from unveil.attacks.representatives import Missing, Normalisation, Operator, representatives
from unveil.attacks.search import Search, as_records
from unveil.attacks.sides import scores_of, side_of
from unveil.data.microdata import Microdata
from unveil.engines.metrics import euclid

if TYPE_CHECKING:
    from unveil.attacks.base import Files
    from unveil.attacks.sides import Side
    from unveil.data.encode import Floats
    from unveil.data.links import Finder

Way = Literal["auto", "representatives", "ranking", "alignment", "values", "correlation"]


class Structural(Attack, frozen=True, kw_only=True):
    """Linkage without a common attribute: records are linked by their place in the structure.

    Two files about the same people need not share an attribute to be linked. Whoever is unusual in
    one is often unusual in the other, and how is told by how attributes go together.

    >>> import unveil
    >>> sample = unveil.households(200, seed=7)
    >>> intruder = unveil.Intruder(knows=["income", "rent"])
    >>> attack = Structural(method="ranking", matching="nearest")
    >>> unveil.attack(sample, sample, attack, intruder=intruder, truth="person")
    Links(structural: 200 records, 200 candidates, truth known)
    """

    method: Annotated[Way, Meta(description="How records are compared.")] = "auto"
    matching: Annotated[
        Matching, Meta(description="Whom a record is linked with, as for every attack.")
    ] = "posterior"
    operator: Annotated[Operator, Meta(description="Of representatives.")] = "owa"
    family: Annotated[Family, Meta(description="Of representatives: the quantifiers.")] = (
        "threshold"
    )
    normalisation: Annotated[
        Normalisation | None, Meta(description="Of representatives; if not given, what suits.")
    ] = None
    missing: Annotated[Missing, Meta(description="Of representatives.")] = "projection"
    linkage: Annotated[
        Literal["distance", "probabilistic"], Meta(description="Of representatives.")
    ] = "distance"
    score: Annotated[Literal["component", "sum"], Meta(description="Of ranking.")] = "component"
    turn: Annotated[bool, Meta(description="Whether attributes are turned.")] = True

    def finder(self, files: Files) -> Finder:
        """Make ready to link the records of two files."""
        people = side_of(files.people, files.columns, "intruder's file")
        released = side_of(files.release, files.others, "release")
        mine = people.values if files.people is files.mine else people.of(files.mine)
        reps = (
            representatives(
                values,
                operator=self.operator,
                family=self.family,
                normalisation=self.normalisation or "normal-scores",
                missing=self.missing,
            )
            for values in (mine, released.values)
        )
        first, second = (as_records(one) for one in reps)
        details = {
            "method": "representatives",
            "sure": None,
            "evidence": [],
            "correspondence": [],
            "left_out": {"mine": people.left_out, "release": released.left_out},
        }
        columns = people.columns + released.columns
        return Search(files, first, second, euclid(), columns, details=details)
