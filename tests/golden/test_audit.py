"""An audit of Census, masked by rank swapping with p = 10: it must not pass.

Muralidhar and Domingo-Ferrer, Rank-based record linkage (2016), Table 2: linking by the largest
difference of ranks finds 98 % and more of it.
"""

import json

import pytest

import unveil
from unveil import masks

pytestmark = pytest.mark.slow

ATTACKS = ("distance", "rank-max", "position")  # of those that fit, the quick ones


def test_swapped_ranks_are_found_and_fail(paper_data, unveil_command, tmp_path):
    census = paper_data("census")
    schema = unveil.Schema(quasi=census.columns)
    people = unveil.Microdata(census.to_frame(), schema)
    release = unveil.mask(people, [masks.RankSwapping(p=10)], seed=1)
    unveil.write(people, tmp_path / "census.csv")
    unveil.write(schema, tmp_path / "census.toml")
    unveil.write(release, tmp_path / "release.csv", row_map=tmp_path / "map.csv")
    attacks = [word for name in ATTACKS for word in ("--attack", name)]
    done = unveil_command(
        "audit", tmp_path / "census.csv", tmp_path / "release.csv", "--schema",
        tmp_path / "census.toml", "--truth", tmp_path / "map.csv",
        "--max-risk", "0.05", "--no-sweep", "--errors", "", "--remask", "0", "--no-remedies",
        "--no-worst-case",
        *attacks,
        "--evidence", tmp_path / "audit.json",
    )  # fmt: skip
    assert (done.code, done.err) == (1, "")
    found = json.loads((tmp_path / "audit.json").read_text())
    shares = {}
    for one in found["attacks"]:
        shares.setdefault(one["name"], one["risk"]["share"])  # the better direction comes first
    assert shares["rank-max"] >= 0.98
    assert max(shares.values()) == found["attacks"][0]["risk"]["share"] >= shares["rank-max"]
    assert shares["position"] < 0.02  # the written rows are shuffled
    assert found["verdict"]["passed"] is False
    assert found["records"] == found["released"] == found["pairs"] == 1080
