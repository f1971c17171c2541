"""Missing codes that a release keeps apart are categories to classes, ceilings and attacks."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, attacks, masks, measures, models
from unveil.masks.base import Guarantee, Mask, MaskedTable

CODES = [-9, -8, -7, -6, -5]


def coded(columns, level="numeric", n=200, seed=1, values=()):
    """Records of missing codes, and of some values."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({name: rng.choice([*CODES, *values], n) for name in columns})
    return Microdata(
        frame,
        Schema({name: {"role": "quasi", "level": level, "missing": CODES} for name in columns}),
    )


def text_classes(data):
    return data.to_text_frame().group_by(pl.all()).len()["len"]


@pytest.mark.parametrize("columns", ["ab", "abcd", "abcdef"])
@pytest.mark.parametrize("level", ["numeric", "nominal"])
def test_codes_that_are_released_as_they_are(columns, level, caplog):
    data = coded(columns, level)
    sizes = text_classes(data)
    (claim,) = models.check(data, models.KAnonymity(k=2))
    assert claim.found == sizes.min()
    assert measures.uniqueness(data, list(columns)).classes == len(sizes)
    for spec in (attacks.Distance(), attacks.Probabilistic(), attacks.Compatible()):
        risk = measures.risk(unveil.attack(data, data, spec, truth="row-order"))
        assert risk.expected == pytest.approx(len(sizes))  # as a plain join
        assert risk.ceiling == len(sizes)
        assert risk.attributes == tuple(columns)
    assert "does not vary" not in caplog.text  # their codes do


def test_a_promise_holds_of_what_is_written(tmp_path):
    """Of 200 rows of codes and two values, 132 were linked by a join of text; 2 were claimed."""
    frame = coded("abc").to_frame().with_columns(s=pl.Series([1] * 100 + [2] * 100))
    codes = {"role": "quasi", "level": "numeric", "missing": CODES}
    schema = Schema(dict.fromkeys("abc", codes) | {"s": {"role": "quasi", "level": "numeric"}})
    data = Microdata(frame, schema)
    release = unveil.mask(data, [masks.Mondrian(k=50)], seed=1)
    unveil.write(release, tmp_path / "r.csv")
    texts = pl.read_csv(tmp_path / "r.csv", infer_schema=False).group_by(pl.all()).len()["len"]
    (claim,) = models.check(release, models.KAnonymity(k=50))
    assert (len(texts), texts.min(), claim.found) == (2, 100, 100)
    assert measures.ceiling(unveil.attack(data, release, attacks.Distance())) == 2


def test_codes_among_values_are_known_to_attacks_that_know_the_mask():
    data = coded("abc", values=range(100, 120))
    noise = masks.AdditiveNoise(scale=2, columns=["a", "b", "c"])
    release = unveil.mask(data, [noise], seed=1)
    plain = Microdata(data.to_frame().with_columns(pl.all().replace(CODES, None)), data.schema)
    hidden = unveil.mask(plain, [noise], seed=1)
    for spec in (attacks.Tailored(), attacks.Distance()):
        found = [
            measures.risk(unveil.attack(known, masked, spec)).expected
            for known, masked in ((data, release), (plain, hidden))
        ]
        assert found[0] > 1.5 * found[1]


def test_a_single_code_of_the_release_stands_for_all():
    data = coded("abc", values=range(3))
    release = unveil.mask(data, [masks.LocalSuppression(k=3)], seed=1)
    for spec in (attacks.Tailored(), attacks.Compatible(), attacks.Distance()):
        links = unveil.attack(data, release, spec)
        assert np.isfinite(links.score).all()  # nobody's true row is excluded
        assert measures.risk(links).expected <= measures.ceiling(links)
    assert measures.compatible_rows(unveil.attack(data, release, attacks.Compatible())).none == 0


def test_codes_that_were_exchanged_exclude_nobody():
    data = coded("ab", values=range(3))
    other = {code: CODES[place - 1] for place, code in enumerate(CODES)}
    released = Microdata(data.to_frame().with_columns(pl.all().replace(other)), data.schema)
    links = unveil.attack(data, released, attacks.Compatible(), truth="row-order")
    assert measures.compatible_rows(links).none == 0


def test_an_empty_cell_is_missing_and_a_blank_code_too():
    frame = pl.DataFrame({"x": ["a", "", None, "b"], "y": ["p", "q", "p", "q"]})
    data = Microdata(frame, Schema(quasi=["x", "y"], nominal=["x", "y"], missing={"x": [""]}))
    links = unveil.attack(data, data, attacks.Distance(), truth="row-order")
    assert links.finder.released.cells().shape[1] == 2  # no column of codes
    assert measures.uniqueness(data, ["x"]).classes == 4


def test_strangers_are_compared_by_their_codes():
    data, others = coded("abcd", seed=1), coded("abcd", seed=2)
    links = unveil.attack(data, data, attacks.Distance(), truth="row-order")
    strangers = links.on(others)
    assert len(strangers) == 200
    assert (strangers.score > 0).sum() > 100


def test_a_person_of_the_population_has_the_same_code():
    people = coded("ab", n=500, seed=2)
    release = people.take(range(50))
    (claim,) = models.check(release, models.KMap(k=2, population=people))
    assert claim.found < 50  # not all 500 fit


def test_codes_of_a_confidential_attribute_are_values():
    frame = pl.DataFrame({"k": [1, 1, 1, 2, 2, 2], "c": [-9, -8, 5, -9, -9, -9]})
    data = Microdata(frame, Schema(quasi="k", confidential="c", missing={"c": [-8, -9]}))
    (claim,) = models.check(data, models.LDiversity(l=2))
    assert (claim.found, claim.records) == (1, 3)
    equal = models.check(data, models.TCloseness(t=1, distance="equal"))[0].found
    assert equal == pytest.approx(1 / 3)  # by text: 4 of 6 are -9, 3 of 3 in a class


def test_joined_releases_keep_their_codes():
    data = coded("ab", values=range(5))
    noise = masks.AdditiveNoise(scale=0.5, columns=["a"])
    both = unveil.Releases([unveil.mask(data, [noise], seed=seed) for seed in (1, 2)], key=True)
    links = unveil.attack(data, both, attacks.Distance())
    joined = (
        both.releases[0]
        .data.to_text_frame()
        .with_columns(more=both.releases[1].data.to_text_frame()["a"])
    )
    assert measures.ceiling(links) == joined.n_unique()


class Promise(Mask, frozen=True, kw_only=True):
    """A mask that changes nothing, and promises something of a."""

    def guarantees(self, data):  # noqa: ARG002
        return (Guarantee((models.KAnonymity(k=1),), ("a",)),)

    def targets(self, data):  # noqa: ARG002
        return ("a",)

    def check(self, data):
        pass

    def apply(self, data, draw, progress=None):  # noqa: ARG002
        return MaskedTable(data)


def test_every_mask_with_a_promise_writes_one_code():
    release = unveil.mask(coded("ab"), [Promise()], seed=1).data.to_frame()
    assert release["a"].unique().to_list() == [-9]
    assert release["b"].n_unique() == len(CODES)
