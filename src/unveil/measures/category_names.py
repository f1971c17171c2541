"""Names of categories that reveal no cell: declared labels, or letters by frequency."""

from collections.abc import Iterable, Mapping

import numpy as np

from unveil.table.attribute import Attribute
from unveil.table.encoding.generalised import cell_texts
from unveil.table.microdata import Microdata
from unveil.wording import letters, ordinal

SMALLEST_GROUP = 10  # records of a category that has a name


def declared_names(attribute: Attribute) -> dict[str, str]:
    """The name of each category that the schema declares, in its order, hierarchy or labels."""
    listed = (*attribute.order, *(row[0] for row in attribute.hierarchy))
    return {label: label for label in listed} | attribute.labels


def category_names(sizes: Mapping[str, int], declared: Mapping[str, str]) -> dict[str, str]:
    """The name of each category: as declared, else a letter by its frequency, never a number.

    A number could be taken for another code of the data. Equal sizes are in the order of the text.

    >>> category_names({"1": 5, "2": 30, "9": 8}, {"9": "other"})
    {'2': 'A (most frequent)', '9': 'other', '1': 'C (3rd most frequent)'}
    """
    ranked = sorted(sizes, key=lambda label: (-sizes[label], label))
    return {
        label: declared.get(label, f"{letters(place)} ({_rank(place)})")
        for place, label in enumerate(ranked, start=1)
    }


def _rank(place: int) -> str:
    return "most frequent" if place == 1 else f"{ordinal(place)} most frequent"


def category_codes(data: Microdata, columns: Iterable[str]) -> dict[str, dict[str, str]]:
    """For each column the category that each lettered name stands for: cells of the data.

    Generalised columns are left out, and categories of fewer than 10 records.

    >>> from unveil.table.sample import households
    >>> category_codes(households(100), ["sex", "age"])
    {'sex': {'A (most frequent)': 'male', 'B (2nd most frequent)': 'female'}}
    """
    codes = dict[str, dict[str, str]]()
    for column in columns:
        attribute = data.schema[column]
        numeric = data.level(column) == "numeric" and "stratum" not in attribute.role
        if numeric or attribute.generalised:
            continue
        cells, declared = cell_texts(data, column), declared_names(attribute)
        counts = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.categories))
        sizes = dict(zip(cells.categories, counts.tolist(), strict=True))
        own = {
            name: label
            for label, name in category_names(sizes, declared).items()
            if label not in declared and sizes[label] >= SMALLEST_GROUP
        }
        codes |= {column: own} if own else {}
    return codes
