"""The intruder who knows the mask: no constraint excludes the truth, and functions hide nothing."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from strategies.examples import examples
from strategies.masks import KINDS, SPECS, masked, tables
from unveil import Intruder, attacks, measures

seeds = st.integers(0, 2**32)
directions = st.sampled_from(["original-to-release", "release-to-original"])
KNOWN = [  # of which there is a truth, and a channel
    name for name in SPECS if name not in ("synthesis", "sampling", "shuffle", "pseudonymisation")
]
FUNCTIONS = ["top-coding", "bottom-coding", "global-recoding", "rounding"]


def tailored(table, release, *, level="parameters", **intruder):
    """The links; a refusal that the table deserves is no counterexample."""
    intruder.setdefault("knows", [name for name in KINDS if name in release.data.columns])
    try:
        return unveil.attack(
            table, release, attacks.Tailored(level=level), intruder=Intruder(**intruder)
        )
    except unveil.UnveilError as refusal:
        if "did not change the known attributes" not in str(refusal):
            raise
        assume(False)


def possible(links):
    """Whether every record may be its own row."""
    return not ((links.n_closer < 0) & (links.true_rows >= 0)).any()


@pytest.mark.parametrize("method", KNOWN)
@examples(1 / 20)
@given(data=st.data(), seed=seeds, direction=directions)
def test_no_constraint_excludes_the_truth(method, data, seed, direction):
    table, spec = data.draw(tables()), data.draw(SPECS[method])
    release = masked(table, spec, seed)
    level = data.draw(st.sampled_from(["parameters"] * 6 + ["method", "original"]))
    few = data.draw(st.booleans()) and level != "original"
    links = tailored(table, release, level=level, direction=direction, records=0.3 if few else None)
    assert possible(links)


@examples(1 / 8)
@given(data=st.data(), seed=seeds, direction=directions)
def test_nor_do_several_masks_and_a_sample(data, seed, direction):
    table = data.draw(tables())
    first, second = (data.draw(SPECS[data.draw(st.sampled_from(KNOWN))]) for _ in range(2))
    steps = [unveil.masks.Sampling(share=0.7, name="some"), first, second]
    named = [type(step)(**{**_fields(step), "name": f"step {i}"}) for i, step in enumerate(steps)]
    try:
        release = unveil.mask(table, named[data.draw(st.integers(0, 1)) :], seed=seed)
    except unveil.UnveilError:
        assume(False)
    assert possible(tailored(table, release, direction=direction))


def _fields(step):
    return {name: getattr(step, name) for name in step.__struct_fields__}


@pytest.mark.parametrize("method", FUNCTIONS)
@examples(1 / 16)
@given(data=st.data(), direction=directions)
def test_a_function_of_the_value_hides_nothing(method, data, direction):
    table, spec = data.draw(tables()), data.draw(SPECS[method])
    release = masked(table, spec)
    full = [name for name in KINDS if not table.column(name).null_count()]
    assume(full)
    links = tailored(table, release, direction=direction, knows=full)
    assert measures.hits(links).sum() == pytest.approx(measures.ceiling(links), rel=1e-12)


@examples(1 / 25)
@given(data=st.data(), seed=seeds)
def test_row_order_means_nothing(data, seed):
    table = data.draw(tables())
    release = masked(table, data.draw(SPECS[data.draw(st.sampled_from(KNOWN))]), seed)
    assume(release.row_map is not None)
    order = np.random.default_rng(seed).permutation(len(table))
    for matching in ("nearest", "posterior"):
        spec = attacks.Tailored(matching=matching)
        intruder = Intruder(knows=list(KINDS))
        truth = np.argsort(order)[release.row_map]
        one = unveil.attack(table, release, spec, intruder=intruder)
        other = unveil.attack(
            table.take(order),
            unveil.Release(release.data, release.plan, release.channels, truth),
            spec,
            intruder=intruder,
        )
        assert measures.hits(other) == pytest.approx(measures.hits(one)[order], abs=1e-9)
