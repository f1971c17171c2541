"""Method-aware linkage of groups: heavy tails, and groups made again."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks
from unveil.attacks.base import AuditedFiles
from unveil.values.file_pair import FilePair
from unveil.values.release.plan import Plan
from unveil.workflows.inputs.known_masking import groups_are_repeatable

NAMES = [f"v{j}" for j in range(6)]


@pytest.fixture(scope="module")
def people():
    """Log-normal columns that go together: most people are alike, a few are far from all."""
    rng = np.random.default_rng(1)
    common = rng.normal(size=(300, 1)) + rng.normal(size=(300, 6))  # correlated by one half
    values = np.exp(1.5 * common / np.sqrt(2))
    return Microdata(pl.DataFrame(dict(zip(NAMES, values.T, strict=True))), Schema(quasi=NAMES))


def linked(people, release, attack, direction="original-to-release"):
    links = unveil.attack(people, release, attack, intruder=Intruder(direction=direction), seed=7)
    return unveil.measures.risk(links)


@pytest.mark.parametrize("direction", ["original-to-release", "release-to-original"])
@pytest.mark.parametrize("k", [3, 5, 10])
def test_a_few_outliers_do_not_hide_the_many(people, k, direction):
    """The deviation within groups over the whole file is that of the tails."""
    release = unveil.mask(people, [masks.Microaggregation(k=k)], seed=7)
    plain = linked(people, release, attacks.Distance(), direction).expected
    for level in ("parameters", "method"):
        known = linked(people, release, attacks.Tailored(level=level), direction).expected
        assert known > 1.1 * plain


def test_ordered_and_unordered_categories_are_grouped_too(people):
    frame = people.to_frame()
    codes = frame["v0"].rank("ordinal") % 4
    table = frame.with_columns(band=codes.cast(pl.String), group=(codes % 2).cast(pl.String))
    schema = Schema(quasi=table.columns, ordinal={"band": ["0", "1", "2", "3"]}, nominal=["group"])
    mixed = Microdata(table, schema)
    release = unveil.mask(mixed, [masks.Microaggregation(k=5)], seed=7)
    plain = linked(mixed, release, attacks.Distance()).expected
    assert linked(mixed, release, attacks.Tailored()).expected > plain


@pytest.mark.parametrize(
    ("plan", "repeatable"),
    [
        ([masks.Microaggregation(k=5)], True),
        ([masks.Rounding(base=0.5, columns=["v0"]), masks.Microaggregation(k=5)], True),
        ([masks.Mondrian(k=5, cells="means")], True),
        ([masks.Mondrian(k=5)], False),
        ([masks.Rounding(base=0.5)], False),
        ([masks.Microaggregation(k=5, columns=["v5"])], False),
        ([masks.AdditiveNoise(scale=0.1), masks.Microaggregation(k=5)], False),
    ],
)
def test_groups_are_repeated_where_no_chance_came_before(people, plan, repeatable):
    assert groups_are_repeatable(Plan(tuple(plan)), people, NAMES[:5]) is repeatable


def test_a_default_audit_makes_the_groups_again(people):
    release = unveil.mask(people, [masks.Microaggregation(k=5)], seed=7)
    pair = FilePair.of(people, release.data, release.row_map)
    suited = attacks.Tailored.in_default_audit(AuditedFiles(pair, NAMES, True, True))
    assert [one.level for one in suited] == ["parameters", "original", "parameters"]
    assert not attacks.Tailored.in_default_audit(AuditedFiles(pair, NAMES, False))
    quick = unveil.AuditSettings(sweep=False, errors=(), remask=0, remedies=False, worst_case=False)
    worst = unveil.audit(people, release, seed=7, settings=quick).evidence.attacks[0]
    assert worst.risk.expected == pytest.approx(worst.risk.ceiling) == 60
