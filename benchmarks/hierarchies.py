"""Hierarchies of Adult's quasi-identifiers, the same for every program: a row for each category."""

from __future__ import annotations

GROUPS = {
    "workclass": {
        "private": ("Private",),
        "self-employed": ("Self-emp-inc", "Self-emp-not-inc"),
        "government": ("Federal-gov", "Local-gov", "State-gov"),
        "other": ("?", "Never-worked", "Without-pay"),
    },
    "education": {
        "no diploma": (
            "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th",
        ),
        "school": ("HS-grad", "Some-college"),
        "vocational": ("Assoc-acdm", "Assoc-voc"),
        "degree": ("Bachelors", "Masters", "Doctorate", "Prof-school"),
    },
    "marital-status": {
        "spouse present": ("Married-civ-spouse", "Married-AF-spouse"),
        "no longer": ("Divorced", "Separated", "Widowed", "Married-spouse-absent"),
        "never": ("Never-married",),
    },
    "occupation": {
        "office": ("Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"),
        "manual": (
            "Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct",
            "Transport-moving",
        ),
        "service": ("Other-service", "Priv-house-serv", "Protective-serv"),
        "other": ("?", "Armed-Forces"),
    },
    "native-country": {
        "United-States": ("United-States",),
        "Americas": (
            "Canada", "Columbia", "Cuba", "Dominican-Republic", "Ecuador", "El-Salvador",
            "Guatemala", "Haiti", "Honduras", "Jamaica", "Mexico", "Nicaragua",
            "Outlying-US(Guam-USVI-etc)", "Peru", "Puerto-Rico", "Trinadad&Tobago",
        ),
        "Europe": (
            "England", "France", "Germany", "Greece", "Holand-Netherlands", "Hungary", "Ireland",
            "Italy", "Poland", "Portugal", "Scotland", "Yugoslavia",
        ),
        "Asia": (
            "Cambodia", "China", "Hong", "India", "Iran", "Japan", "Laos", "Philippines",
            "Taiwan", "Thailand", "Vietnam",
        ),
        "unknown": ("?", "South"),
    },
}  # fmt: skip
ALONE = {  # straight under a star
    "race": ("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"),
    "sex": ("Female", "Male"),
}
WIDTHS = (2, 4, 8)  # how many ages, in fives, go together


def of_adult(ages):
    """For each column a row for each category: itself, and its ever coarser groups."""
    found = {
        "age": [
            (age, *(_span(ages, place, width) for width in WIDTHS))
            for place, age in enumerate(ages)
        ]
    }
    for column, groups in GROUPS.items():
        rows = [(member, group) for group, members in groups.items() for member in members]
        found[column] = rows
    return found | {column: [(name,) for name in names] for column, names in ALONE.items()}


def _span(ages, place, width):
    """The name of the ages that go together with one of them."""
    first = place // width * width
    return f"{ages[first]} to {ages[min(first + width, len(ages)) - 1]}"


def with_star(rows):
    """A hierarchy as anjana wants it: for each level the groups of all categories."""
    columns = [*zip(*rows, strict=True), ["*"] * len(rows)]
    return {str(level): list(column) for level, column in enumerate(columns)}
