"""Synthesis: records drawn from a model of the table instead of the table itself."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from unveil.errors import SchemaError
from unveil.masks.base import Draw, Mask, Masked, check_columns, known_numbers
from unveil.masks.synthesis.copula import from_copula
from unveil.masks.synthesis.trees import Trees
from unveil.support.options import Progress
from unveil.support.work import SYNTHESISED
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Unknown


class Synthesis(Mask, frozen=True, kw_only=True):
    """Synthesis: a table of made-up records with the distribution of the original.

    No released row is anybody's, so that there is nobody to link; a made-up row may still be near
    to a true one. The release is as good as the model that it was drawn from.

    "trees": columns are drawn one after another. The first is drawn from the original's;
    for each other a tree predicts it from the columns before it, and a synthetic record
    takes the cell of a random original in its leaf. Reiter, Using CART to generate
    partially synthetic public use microdata (2005); as synthpop does by default. Single
    cells are those of originals, so mask extreme ones first.

    "copula": ranks are drawn from a normal distribution with the correlations of the
    original's, and become values between the original's quantiles. Where categories have
    no order, that of their labels is used. Patki, Wedge and Veeramachaneni, The synthetic
    data vault (2016).

    Missing cells are part of what is drawn. Synthetic rows come from no original row: the
    release has no row map.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [Synthesis(records=50)], seed=7)
    >>> len(release), release.row_map
    (50, None)
    """

    model: Annotated[
        Literal["trees", "copula"], Meta(description="What the records are drawn from.")
    ] = "trees"
    columns: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The columns that are released, in the order in which they are drawn; "
            "if not given, all but identifiers."
        ),
    ] = None
    records: Annotated[
        Annotated[int, Meta(ge=1, le=10**9)] | None,
        Meta(description="How many records are made; if not given, as many as there are."),
    ] = None
    leaf: Annotated[
        int, Meta(ge=1, le=10**9, description="Trees: the least number of originals in a leaf.")
    ] = 5

    seconds_per_record: ClassVar[float] = SYNTHESISED

    def check(self, data: Microdata) -> None:
        """The columns are there, and are single values."""
        for column in self.targets(data):
            if data.schema[column].generalised:
                raise SchemaError(
                    f"{self.step}: column '{column}' is generalised: its cells are ranges and "
                    "sets, which are not modelled; leave it out"
                )
            if self.model == "copula" and data.level(column) == "numeric":
                known_numbers(self, data, [column])

    def targets(self, data: Microdata) -> tuple[str, ...]:
        """The columns that are made."""
        if self.columns is None:
            secret = data.schema.with_role("identifier")
            return tuple(name for name in data.columns if name not in secret)
        check_columns(self, data, self.columns)
        return self.columns

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:
        """Make the records."""
        columns = self.targets(data)
        size = self.records or len(data)
        if self.model == "trees":
            made = Trees(data, columns, self.leaf).draw(size, draw, progress)
        else:
            made = from_copula(data, columns, size, draw)
        unknown = tuple(Unknown((column,)) for column in columns)
        return Masked(data.new_records(made), unknown, synthetic=True)
