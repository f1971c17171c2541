"""Synthesis: release records drawn from a model of the table."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from unveil.errors import SchemaError
from unveil.masks.base import Draw, Mask, MaskedTable
from unveil.masks.synthesis.copula import draw_from_copula
from unveil.masks.synthesis.trees import SequentialTrees
from unveil.support.memory import require_memory
from unveil.support.options import Progress
from unveil.support.work import SYNTHESIS_SECONDS
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Unknown

BYTES_PER_CELL = 40  # of a drawn table: its donors, their leaves and the cells


class Synthesis(Mask, frozen=True, kw_only=True):
    """Synthesis: release synthetic records with the distribution of the original.

    No released row belongs to a person, so there is no true link; a synthetic row may still
    be close to a true one. The release is as good as the model.

    `model` "trees": columns are drawn in sequence. The first is a random sample of the original
    column; for each other a tree predicts it from the previous columns, and a synthetic record
    takes the cell of a random original in its leaf, which holds at least `leaf` originals.
    Reiter, Using CART to generate partially synthetic public use microdata (2005); the default of
    synthpop. Single cells are true ones, so mask extreme values first.

    "copula": ranks are drawn from a normal distribution with the rank correlations of the
    original, and become interpolated quantiles. Categories without an order are ordered by label.
    Patki, Wedge and Veeramachaneni, The synthetic data vault (2016).

    Missing cells are modelled like values. The release has no row map.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [Synthesis(records=50)], seed=7)
    >>> len(release), release.row_map
    (50, None)
    """

    model: Annotated[
        Literal["trees", "copula"], Meta(description="Model from which records are drawn.")
    ] = "trees"
    columns: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="Columns to release, in the order in which they are drawn; by default "
            "all but identifiers."
        ),
    ] = None
    records: Annotated[
        Annotated[int, Meta(ge=1, le=10**9)] | None,
        Meta(description="Number of synthetic records; by default as many as originals."),
    ] = None
    leaf: Annotated[
        int, Meta(ge=1, le=10**9, description="Trees: minimum number of originals in a leaf.")
    ] = 5

    seconds_per_record: ClassVar[float] = SYNTHESIS_SECONDS

    def check(self, data: Microdata) -> None:
        """Raise an error for generalised cells, and for numbers that overflow."""
        for column in self.targets(data):
            if data.schema[column].generalised:
                raise SchemaError(
                    f"{self.step}: column '{column}' is generalised, and ranges and sets cannot "
                    "be modelled; leave it out"
                )
            if self.model == "copula" and data.level(column) == "numeric":
                self.numbers(data, column)

    def targets(self, data: Microdata) -> tuple[str, ...]:
        if self.columns is None:
            identifiers = data.schema.with_role("identifier")
            return tuple(name for name in data.columns if name not in identifiers)
        self.check_columns(data, self.columns)
        return self.columns

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:
        columns = self.targets(data)
        size = self.records or len(data)
        need = BYTES_PER_CELL * size * len(columns)
        require_memory(need, self.step, "draw fewer records, or synthesise fewer columns")
        if self.model == "trees":
            drawn = SequentialTrees(data, columns, self.leaf).draw(size, draw, progress)
        else:
            drawn = draw_from_copula(data, columns, size, draw)
        unknown = tuple(Unknown((column,)) for column in columns)
        return MaskedTable(data.new_records(drawn), unknown, synthetic=True)
