"""k-concealment and n-confusion: who can be whose row, over all one-to-one assignments.

>>> import unveil
>>> from unveil.models import KConcealment, NConfusion, check
>>> people, keys = unveil.households(300, seed=7), ["age", "region"]
>>> release = unveil.mask(people, unveil.masks.Mondrian(k=3, columns=keys))
>>> models = [KConcealment(k=3, originals=people), NConfusion(n=3, originals=people)]
>>> [promise.kept for promise in check(release, models, keys=keys)]
[True, True]
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

from unveil.errors import DataError, SpecError
from unveil.models.base import MOST_RECORDS, Model, ModelRequirement
from unveil.models.row_counts import compatible_classes, over_classes
from unveil.support.arrays import Ints
from unveil.support.specs import method_name
from unveil.table.microdata import Microdata
from unveil.wording import count

MOST_PAIRS = 20_000_000  # of classes that fit each other; a flow over more takes minutes

Originals = Annotated[
    Any,
    Meta(
        description="The records before masking, with the same columns, as Microdata. The row "
        "order need not be that of the release."
    ),
]


class AssignmentModel(Model, frozen=True, kw_only=True):
    """A model of the one-to-one assignments of original records to released rows."""

    originals: Originals

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.originals, Microdata):
            raise SpecError(
                f"{method_name(type(self))}: originals: the records before masking are needed, as "
                "Microdata (unveil.read reads a file with its schema)"
            )

    @property
    def counted(self) -> Literal["assignments"]:
        return "assignments"

    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:  # noqa: ARG002
        """None on classes: pairs of an original record and a released row are counted."""
        return ()


class KConcealment(AssignmentModel, frozen=True, kw_only=True):
    """k-concealment: every original record can belong to at least k released rows.

    An intruder who knows the quasi-identifiers of all people, and that each released row is the
    generalised record of one of them, assigns people to rows. A row counts for a record if some
    assignment of all rows, one to one, gives the record that row; being compatible is not enough.
    Rows need not be equal: k-anonymity implies k-concealment, not the reverse.

    A cell fits as in k-map: equal, in the range, in the set, a star, or missing on either side. If
    the release has fewer rows than there are originals, an original that no assignment gives a row
    to is not counted. Tassa, Mazza and Gionis, k-Concealment: an alternative model of k-type
    anonymity (2012).
    """

    k: Annotated[
        int, Meta(ge=1, le=MOST_RECORDS, description="The least number of rows of each record.")
    ]

    @property
    def least_size(self) -> int:
        return self.k


class NConfusion(AssignmentModel, frozen=True, kw_only=True):
    """n-confusion: every released row can belong to at least n original records.

    A re-identification method gives every released row a probability of each original record. Read
    here: its confusion is the least number of records with a positive probability, and the method
    knows the quasi-identifiers of all people, and that the rows are their generalised records, one
    to one. An original counts for a row if some assignment gives the row to it.

    Positive probabilities may differ: the model does not bound the most probable one by 1/n. A cell
    fits as in k-concealment, which counts the rows of each record instead. Stokes and Torra,
    n-Confusion: a generalization of k-anonymity (2012); Torra (2013), Definition 2.
    """

    n: Annotated[
        int, Meta(ge=1, le=MOST_RECORDS, description="The least number of records of each row.")
    ]

    @property
    def least_size(self) -> int:
        return self.n


def assignment_counts(
    model: AssignmentModel, release: Microdata, keys: Sequence[str]
) -> tuple[int, Ints]:
    """The least number that a model asks for, and the numbers of the file.

    Equal records, and equal rows, are one node of a flow network with their number. A pair occurs
    in some complete assignment if the flow uses it, or if it closes a cycle of the residual graph:
    both ends are then in one strongly connected component.
    """
    name = method_name(type(model))
    if len(release) > len(model.originals):
        raise DataError(
            f"{name}: the release has {count(len(release), 'row')} and the originals are "
            f"{count(len(model.originals), 'record')}: give the file that was masked"
        )
    rows, people, compatible = compatible_classes(release, model.originals, keys)

    fitting = over_classes(len(rows.sizes), lambda chosen: compatible(chosen).sum(axis=1))
    if fitting.sum() > MOST_PAIRS:  # before they are listed, which takes their memory
        raise DataError(
            f"{name}: {int(fitting.sum()):,} pairs of different rows and records fit, and at most "
            f"{MOST_PAIRS:,} can be searched: name more keys, or check a sample"
        )

    def fitting_pairs(chosen: Ints) -> Ints:
        pairs = np.argwhere(compatible(chosen))
        pairs[:, 0] += chosen[0]
        return pairs

    pairs = over_classes(len(rows.sizes), fitting_pairs)
    row, person = _possible_pairs(name, pairs, rows.sizes, people.sizes)
    if isinstance(model, NConfusion):
        return model.n, rows.scatter(_sums(row, people.sizes[person], len(rows.sizes)))
    counts = people.scatter(_sums(person, rows.sizes[row], len(people.sizes)))
    return model.least_size, counts[counts > 0]


def _sums(places: Ints, sizes: Ints, many: int) -> Ints:
    return np.bincount(places, sizes, many).astype(np.int64)


def _possible_pairs(name: str, pairs: Ints, rows: Ints, people: Ints) -> tuple[Ints, Ints]:
    """The pairs of classes that occur in some assignment that gives every row a record."""
    n_rows, n, total = len(rows), len(rows) + len(people) + 2, int(rows.sum())
    source, sink = n - 2, n - 1
    row, person = pairs[:, 0], pairs[:, 1] + n_rows
    everyone = np.arange(n_rows, n_rows + len(people))
    tails = np.concatenate([np.full(n_rows, source), row, everyone])
    heads = np.concatenate([np.arange(n_rows), person, np.full(len(people), sink)])
    # Pairs have room to spare, so that a pair in use stays in the residual graph both ways.
    capacity = np.concatenate([rows, np.full(len(row), total + 1), people]).astype(np.int32)
    network = csr_array(coo_array((capacity, (tails, heads)), shape=(n, n)))
    result = maximum_flow(network, source, sink)
    if result.flow_value < total:
        raise DataError(
            f"{name}: {count(total - int(result.flow_value), 'released row')} cannot be assigned "
            "to a record of its own: the rows are not generalised records of these originals. "
            "Give the file that was masked; masks that exchange or perturb values do not fit"
        )
    residual = coo_array(network - result.flow)
    residual.data = (residual.data > 0).astype(np.int8)
    residual.eliminate_zeros()
    component = connected_components(residual, connection="strong")[1]
    possible = component[row] == component[person]
    return row[possible], person[possible] - n_rows
