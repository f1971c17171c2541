"""Linkage by position: whether the order of the rows betrays who is who."""

from unveil.attacks.base import Attack, LinkageFiles
from unveil.attacks.nearest import NearestSearch
from unveil.engines.metric import manhattan
from unveil.engines.records import Records
from unveil.values.links import Finder


class Position(Attack, frozen=True, kw_only=True):
    """Linkage by position: each record is linked with the row that stands in the same place.

    It looks at nothing but the order of the rows: any right link beyond chance is a finding, and
    shuffling the rows mends it.

    Where the files are of different lengths, rows are taken in proportion. A release in memory
    is looked at in the order in which it would be written.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> kept = unveil.mask(sample, unveil.Plan([], seed=7, keep_order=True))
    >>> unveil.measures.risk(unveil.attack(sample, kept, Position())).expected
    300.0
    """

    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to link the records of two files."""
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
