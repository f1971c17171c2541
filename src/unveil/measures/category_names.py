"""Names of categories that reveal no cell: declared labels, or letters by frequency."""

from collections.abc import Mapping

from unveil.table.attribute import Attribute
from unveil.wording import letters, ordinal

SMALLEST_GROUP = 10  # records of a category that has a name


def declared_names(attribute: Attribute) -> dict[str, str]:
    """The name of each category that the schema declares, in its order, hierarchy or labels."""
    listed = (*attribute.order, *(row[0] for row in attribute.hierarchy))
    return {label: label for label in listed} | attribute.labels


def category_names(
    sizes: Mapping[str, int], declared: Mapping[str, str], *, show_values: bool
) -> dict[str, str]:
    """The name of each category: as declared, else a letter by its frequency, never a number.

    A number could be taken for another code of the data. Equal sizes are in the order of the text.
    With `show_values` an undeclared category is shown as it is.

    >>> category_names({"1": 5, "2": 30, "9": 8}, {"9": "other"}, show_values=False)
    {'2': 'A (most frequent)', '9': 'other', '1': 'C (3rd most frequent)'}
    """
    if show_values:
        return {label: declared.get(label, label) for label in sizes}
    ranked = sorted(sizes, key=lambda label: (-sizes[label], label))
    ranks = ["", *(f"{ordinal(place)} " for place in range(2, len(ranked) + 1))]
    return {
        label: declared.get(label, f"{letters(place)} ({rank}most frequent)")
        for place, (label, rank) in enumerate(zip(ranked, ranks, strict=False), start=1)
    }
