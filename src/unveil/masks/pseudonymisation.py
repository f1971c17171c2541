"""Pseudonymisation: identifiers replaced by their keyed hash."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Self

import msgspec
import polars as pl
from msgspec import Meta

from unveil.errors import DataError, FileError, SpecError
from unveil.masks.base import Draw, Mask, MaskedTable
from unveil.support.options import Progress
from unveil.table.attribute import Attribute
from unveil.table.columns import labels_of
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Unknown
from unveil.wording import absent_column, count, listing

LENGTH = 32  # hexadecimal digits of a pseudonym: 128 bits
LEAST_KEY = 16  # bytes of a key, as many bits as a pseudonym has


@dataclass(frozen=True)
class Pseudonyms:
    """How many identifiers were replaced, in how many cells."""

    cells: Mapping[str, int]  # of each column, those that are not missing
    distinct: Mapping[str, int]  # of each column, different identifiers

    @property
    def sentence(self) -> str:
        """The counts in words, without a full stop."""
        return "; ".join(
            f"{name}: {count(self.distinct[name], 'pseudonym')} in {count(n, 'cell')}"
            for name, n in self.cells.items()
        )


class Pseudonymisation(Mask, frozen=True, kw_only=True):
    """Pseudonymisation: replace each identifier by its keyed hash, and release that.

    Without it identifiers are left out. The records of one person have the same pseudonym, and
    nobody who lacks the key can tell whose it is, or try names until one fits. It protects against
    nothing else: an intruder who links a record by other attributes also has its pseudonym.

    A pseudonym is the first 128 bits of HMAC-SHA256 of the cell's text, as 32 hexadecimal digits.
    A missing identifier stays missing. Without `key_file` the key is drawn from the system and
    forgotten, so that nobody can make the pseudonyms again. Under a key of one's own, releases
    have the same pseudonyms and can be joined by them. The key is in no plan, page or message;
    keep it apart from the releases. The released column has the role "other": no intruder knows
    it. FIPS 198-1, The keyed-hash message authentication code (2008); ENISA, Pseudonymisation
    techniques and best practices (2019).

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(100)
    >>> release = unveil.mask(people, [Pseudonymisation(columns=["person"])])
    >>> release.data.column("person").str.len_chars().unique().to_list()
    [32]
    """

    is_random: ClassVar[bool] = False  # the seed does not decide
    replaces_identifiers: ClassVar[bool] = True

    columns: Annotated[
        tuple[str, ...] | None,
        Meta(description="Identifiers to replace; by default all of the schema."),
    ] = None
    key_file: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(
            description="File with the secret key: 16 random bytes or more, all of which count. By "
            "default a key is drawn, and not kept."
        ),
    ] = None

    def locate_files(self, locate: Callable[[str], str]) -> Self:
        if self.key_file is None:
            return self
        return msgspec.structs.replace(self, key_file=locate(self.key_file))

    def targets(self, data: Microdata) -> tuple[str, ...]:
        if self.columns is None:
            found = tuple(n for n in data.columns if "identifier" in data.schema[n].role)
            if not found:
                raise SpecError(
                    f"{self.step}: no column is an identifier; declare it in the schema, or leave "
                    "this step out"
                )
            return found
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise SpecError(f"{self.step}: columns: name at least one, and none twice")
        for column in self.columns:
            if column not in data.columns:
                raise DataError(f"{self.step}: {absent_column(column, data.columns)}")
            if "identifier" not in data.schema[column].role:
                raise SpecError(
                    f"{self.step}: column '{column}' is not an identifier; declare it in the "
                    "schema if it names people, otherwise mask it by another method"
                )
        return self.columns

    def check(self, data: Microdata) -> None:
        self.targets(data)

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:  # noqa: ARG002
        """Replace the identifiers; equal cells get equal pseudonyms, in all columns."""
        key, targets = self._key(), self.targets(data)
        columns = [pseudonyms_of(data.column(name), key) for name in targets]
        cells, distinct = dict[str, int](), dict[str, int]()
        for new in columns:
            known = data.column(new.name).drop_nulls()
            cells[new.name], distinct[new.name] = len(known), labels_of(known).n_unique()
            if new.drop_nulls().n_unique() < distinct[new.name]:
                raise DataError(
                    f"{self.step}: column '{new.name}': two identifiers have the same pseudonym; "
                    "use another key"
                )
        unknown = Attribute(role=frozenset({"other"}), level="nominal")
        attributes = {
            name: msgspec.structs.replace(unknown, label=data.schema[name].label)
            for name in targets
        }
        return MaskedTable(
            data.replace(columns, attributes),
            tuple(Unknown((name,)) for name in targets),  # who lacks the key can exclude nothing
            details=Pseudonyms(cells, distinct),
            remark=self._remark(targets),
        )

    def _remark(self, columns: tuple[str, ...]) -> str:
        if self.key_file is None:
            return ""
        return (
            f"releases under the same key can be joined by {listing(columns)}, and an intruder who "
            "has both knows more of each person; use another key unless they are to be joined"
        )

    def _key(self) -> bytes:
        if self.key_file is None:
            return secrets.token_bytes(2 * LEAST_KEY)
        try:
            key = Path(self.key_file).read_bytes()
        except (OSError, ValueError):
            raise FileError(f"{self.step}: key_file: no such file, or it cannot be read") from None
        if len(key) < LEAST_KEY:
            raise SpecError(
                f"{self.step}: key_file: the key is too short to be secret; give a file of at "
                f"least {LEAST_KEY} random bytes"
            )
        return key


def pseudonyms_of(cells: pl.Series, key: bytes) -> pl.Series:
    """The pseudonym of each cell; a missing one stays missing."""
    labels = labels_of(cells)
    distinct = labels.drop_nulls().unique()
    hashed = [
        hmac.new(key, label.encode(), hashlib.sha256).hexdigest()[:LENGTH] for label in distinct
    ]
    return labels.replace_strict(
        distinct, pl.Series(hashed, dtype=pl.String), default=None, return_dtype=pl.String
    ).alias(cells.name)
