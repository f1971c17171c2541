"""One audit for all tests of pages: every section has something to say, every name is hostile."""

import numpy as np
import polars as pl
import pytest

import unveil
from harness import learning_little
from some_pages import FILE, LABEL, LONG, PLAN_SEED, QUOTES, SCALE, SCRIPT, SEED, STAYED, TURNED
from unveil import masks

N = 60
EVERY_LIMIT = unveil.Policy(
    max_risk=0.05, max_subgroup_risk=0.1, max_confirmed=0.01, max_interval_disclosure=0.4,
    k_anonymity=3, l_diversity=2, t_closeness=0.5, max_loss=1, forbid_row_order=True,
    may_stay_unchanged=[TURNED],
)  # fmt: skip


@pytest.fixture(scope="session")
def evidence(tmp_path_factory):
    """The evidence of an audit of files, columns and categories with hostile names."""
    folder = tmp_path_factory.mktemp("hostile")
    draw = np.random.default_rng(3)
    people = pl.DataFrame(
        {
            "person": [f"p{i}" for i in range(N)],
            "home": [f"h{i // 3}" for i in range(N)],
            SCRIPT: draw.normal(50, 10, N).round(2),
            QUOTES: draw.normal(0, 3, N).round(3),
            TURNED: draw.choice(["low", LABEL, "high"], N),
            LONG: draw.choice(["one", LABEL], N),
            "pay": draw.normal(1000, 200, N).round(),
            STAYED: draw.choice(["u", "v"], N),
            "weight": draw.uniform(5, 9, N).round(2),
        }
    )
    schema = unveil.Schema(
        identifier="person", household="home", weight="weight", confidential=["pay"],
        quasi=[SCRIPT, QUOTES, TURNED, LONG], nominal=[STAYED, "home"],
        ordinal={TURNED: ["low", LABEL, "high"]}, labels={LONG: {"one": "1", LABEL: LABEL}},
    )  # fmt: skip
    survey = unveil.Microdata(people, schema)
    noise = masks.AdditiveNoise(scale=SCALE, columns=[SCRIPT, QUOTES])
    release = unveil.mask(survey, [noise, masks.Shuffle()], seed=PLAN_SEED)
    unveil.write(survey, folder / f"original {FILE}")
    unveil.write(schema, folder / "schema.toml")
    unveil.write(release, folder / FILE, row_map=folder / f"map {FILE}")
    with learning_little():
        found = unveil.audit(
            folder / f"original {FILE}", folder / FILE, schema=folder / "schema.toml",
            truth=folder / f"map {FILE}", plan=release.plan, policy=EVERY_LIMIT, seed=SEED,
            attacks=["distance", "rank-max", "position"], errors=(0, 0.5), remask=1,
        )  # fmt: skip
    return found.evidence
