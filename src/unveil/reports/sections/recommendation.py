"""Recommendation: which of several releases keep the policy, or which is nearest to it."""

from unveil.reports.sections.verdict import misses
from unveil.support.phrases import Phrase, counted, name, names, phrase
from unveil.values.results.comparison import Comparison


def recommendation(comparison: Comparison) -> Phrase:
    """Which releases keep every limit; if none does, which is nearest, and what it misses."""
    found = comparison.recommendation
    if found is None:
        return ()
    if len(found.kept) > 1:
        return phrase(
            "These keep every limit of the [policy](policy), the least loss first: {}. ",
            names(found.kept),
        )
    if found.kept:
        return phrase("{} alone keeps every limit of the [policy](policy). ", name(found.kept[0]))
    said = phrase("No release keeps every limit of the [policy](policy). ")
    for nearest in map(comparison.__getitem__, found.nearest):
        said += phrase(
            "[Nearest](nearest) is {}, which misses {} of {} limits: {}. ",
            name(nearest.name),
            counted(len(nearest.missed)),
            counted(nearest.limits),
            misses(nearest.missed),
        )
    return said
