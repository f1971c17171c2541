"""Linkage by row order."""

from typing import ClassVar

from unveil.attacks.base import Attack, AuditedFiles, LinkageFiles
from unveil.attacks.nearest import NearestSearch
from unveil.engines.metric import manhattan
from unveil.engines.records import Records
from unveil.errors import SpecError
from unveil.values.intruder import Intruder
from unveil.values.links import Finder


class Position(Attack, frozen=True, kw_only=True):
    """Linkage by row order: link each record to the row at the same position.

    It uses nothing but the row order: correct links beyond chance show that the release was not
    shuffled. Positions are proportional if the files differ in length. A release in memory has the
    order in which it would be written.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> kept = unveil.mask(sample, unveil.Plan([], seed=7, keep_order=True))
    >>> unveil.measures.risk(unveil.attack(sample, kept, Position())).expected
    300.0
    """

    compares_attributes: ClassVar[bool] = False
    uses_row_order: ClassVar[bool] = True

    def check(self, intruder: Intruder, *, ordered_truth: bool) -> None:
        """Raise an error if the truth is the order of the rows, which the attack uses."""
        super().check(intruder, ordered_truth=ordered_truth)
        if ordered_truth:
            raise SpecError(
                "position: the row order is both the truth and the attack; give an identifier "
                "or a row map as the truth"
            )

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:  # noqa: ARG003
        """Always: it costs next to nothing."""
        return (cls(),)

    def finder(self, files: LinkageFiles) -> Finder:
        places, m = files.positions, len(files.release)
        # The middle of each row's share of the file, in whole numbers.
        return NearestSearch(
            files,
            Records((2 * places.intruder[:, None] + 1) * m),
            Records((2 * places.released[:, None] + 1) * places.file_size),
            manhattan(),
            (),
            margins=None,
        )
