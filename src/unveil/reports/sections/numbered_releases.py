"""The external comparison: numbered releases, without what would help an intruder."""

import msgspec

from unveil.reports.sections.verdict import ROW_ORDER
from unveil.values.results.comparison import Comparison, WorstAttack
from unveil.workflows.auditing.attack_names import uses_row_order


def numbered_releases(comparison: Comparison) -> Comparison:
    """The comparison with numbers for names, because file names often tell the masking method.

    It leaves out that the row order identifies people, and the reasons of limits.
    """
    numbers = {one.name: f"release {number}" for number, one in enumerate(comparison.releases, 1)}

    def numbered(releases: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(numbers[one] for one in releases)

    changed = msgspec.structs.replace
    return changed(
        comparison,
        releases=tuple(
            changed(
                one,
                name=numbers[one.name],
                worst=_without_row_order(one.worst),
                broken=tuple(limit for limit in one.broken if limit != ROW_ORDER),
                missed=tuple(
                    changed(limit, reason="") for limit in one.missed if limit.limit != ROW_ORDER
                ),
                attacks=tuple(run for run in one.attacks if not uses_row_order(run.name)),
            )
            for one in comparison.releases
        ),
        best=tuple(
            changed(one, releases=numbered(one.releases), not_measured=numbered(one.not_measured))
            for one in comparison.best
        ),
        front=numbered(comparison.front),
        dominated=tuple(
            changed(one, release=numbers[one.release], by=numbered(one.by))
            for one in comparison.dominated
        ),
        not_placed=numbered(comparison.not_placed),
        recommendation=None
        if comparison.recommendation is None
        else changed(
            comparison.recommendation,
            kept=numbered(comparison.recommendation.kept),
            nearest=numbered(comparison.recommendation.nearest),
        ),
        differences=tuple(
            changed(one, first=numbers[one.first], second=numbers[one.second])
            for one in comparison.differences
        ),
    )


def _without_row_order(worst: WorstAttack | None) -> WorstAttack | None:
    if worst is None or not uses_row_order(worst.name):
        return worst
    return msgspec.structs.replace(worst, name="not disclosed")
