"""k-anonymity of households, against its definition and plain programs of the masks."""

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from naive import households as naive
from strategies.examples import examples
from unveil import Schema, masks, measures, models

KEYS = ["roof", "age", "sex"]
SPECS = st.one_of(
    st.builds(masks.LocalSuppression, k=st.integers(1, 4), unit=st.just("household")),
    st.builds(
        masks.Mondrian,
        k=st.integers(1, 4),
        unit=st.just("household"),
        relaxed=st.booleans(),
        cells=st.sampled_from(["ranges", "stars", "means"]),
    ),
)


@st.composite
def surveys(draw, most=40, missing=True, declared=None):
    """Persons in households, some without a number, with a column that their members share."""
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    homes = rng.integers(0, rng.integers(1, n + 1), n)
    age, sex, roof = rng.integers(0, 8, n), rng.integers(0, 2, n), rng.integers(0, 3, n)[homes % n]
    frame = pl.DataFrame({"home": homes, "age": age, "sex": sex, "roof": roof})
    if missing and draw(st.booleans()):
        frame = frame.with_columns(
            pl.when(pl.Series(rng.random(n) < 0.2)).then(None).otherwise(pl.col(name)).alias(name)
            for name in ("home", "age")
        )
    per_household = draw(st.booleans()) if declared is None else declared
    more = {"per_household": "roof"} if per_household else {}
    schema = Schema(household="home", quasi=KEYS, numeric="age", nominal=["sex", "roof"], **more)
    return unveil.Microdata(frame, schema)


def released(data, spec, **more):
    """The release; a k that no household size reaches is refused."""
    try:
        return unveil.mask(data, [spec], seed=1, household="keep", **more)
    except unveil.UnveilError as refusal:
        said = str(refusal)
        assert "the table has" in said or "the same number of members" in said
        assume(False)


def cells(data, columns):
    return list(data.to_frame().select(columns).iter_rows())


@given(surveys(), st.integers(1, 4))
def test_households_are_counted_as_a_plain_program_counts(data, k):
    equal = naive.equal_households(cells(data, KEYS), data.column("home").to_list())
    found = measures.uniqueness(data, KEYS, unit="household")
    assert (found.n, found.smallest) == (len(equal), min(equal.values()))
    assert found.uniques == sum(count == 1 for count in equal.values())
    promise = models.check(data, models.KAnonymity(k=k, unit="household"), keys=KEYS)[0]
    assert promise.found == min(equal.values())
    assert promise.kept == (min(equal.values()) >= k)
    assert promise.records == sum(len(rows) for rows, count in equal.items() if count < k)


@examples(1 / 2)
@given(surveys(), SPECS)
def test_k_households_are_alike_on_the_release(data, spec):
    release = released(data, spec)
    homes = release.data.column("home").to_list()
    rows = cells(release.data, KEYS)
    assert min(naive.equal_households(rows, homes).values()) >= spec.k
    assert min(Counter(rows).values()) >= spec.k  # and so are k persons
    sizes = Counter(map(len, naive.households(data.column("home").to_list())))
    assert len(release) == sum(size * many for size, many in sizes.items() if many >= spec.k)
    if data.schema["roof"].per_household:
        for household in naive.households(homes):
            assert len({release.data.column("roof")[row] for row in household}) == 1
    before = data.take(release.row_map)
    for channel in release.channels:
        assert not channel.excludes(before, release.data).any()


@examples(1 / 2)
@given(surveys(), SPECS, st.randoms())
def test_row_order_member_order_and_numbers_mean_nothing(data, spec, random):
    rows, numbers = list(range(len(data))), list(range(100, 100 + len(data)))
    random.shuffle(rows)
    random.shuffle(numbers)
    other = data.take(rows)
    renumbered = [None if home is None else numbers[home] for home in other.column("home")]
    other = other.replace([pl.Series("home", renumbered, dtype=pl.Int64)])

    def contents(table):
        release = released(table, spec).data
        of_row, homes = cells(release, KEYS), release.column("home").to_list()
        return Counter(tuple(sorted(map(repr, (of_row[i] for i in own))))
                       for own in naive.households(homes))  # fmt: skip

    assert contents(data) == contents(other)


@examples(1 / 2)
@given(surveys(missing=False, declared=True), st.integers(1, 4))
def test_mondrian_is_its_slow_twin(data, k):
    codes = [[int(cell) for cell in row] for row in cells(data, KEYS)]
    spec = masks.Mondrian(k=k, unit="household", columns=KEYS)
    release = released(numeric(data), spec)
    expected = naive.mondrian_of_households(
        codes, data.column("home").to_list(), [True, False, False], k
    )
    assert sorted(expected) == release.row_map.tolist()
    for row, out in zip(release.row_map.tolist(), cells(release.data, KEYS), strict=True):
        ends = [tuple(map(float, str(cell).split(".."))) for cell in out]
        assert [(one[0], one[-1]) for one in ends] == [expected[row][j] for j in range(3)]


@examples(1 / 8)
@given(surveys(most=8, missing=False, declared=True), st.integers(2, 3))
def test_suppression_needs_no_fewer_stars_than_the_least(data, k):
    codes = [list(row) for row in cells(data, KEYS)]
    homes = data.column("home").to_list()
    tables = naive.tables(codes, homes, [True, False, False], k)
    assume(sum(len(columns) * len(rows) for columns, _, rows in tables) <= 14)
    release = released(data, masks.LocalSuppression(k=k, unit="household", columns=KEYS))
    stars = sum(str(cell) == "*" for row in cells(release.data, KEYS) for cell in row)
    least = naive.fewest_stars(codes, homes, [True, False, False], k)
    assert least <= stars <= 3 * len(release)
    if len(set(map(tuple, codes))) == 1:
        assert stars == 0


def numeric(data):
    """The same cells as numbers, so that groups are ranges."""
    schema = Schema(household="home", quasi=KEYS, numeric=KEYS, per_household="roof")
    return unveil.Microdata(data.to_frame(), schema)
