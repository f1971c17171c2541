"""What pycanon and anjana make of tables: run by `peers.py` in an environment of their own.

A folder has `job.json` and a CSV file for each table; the answer is printed as JSON.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from pathlib import Path

import pandas as pd
from anjana.anonymity._k_anonymity import k_anonymity_inner
from pycanon import anonymity


def table(path, numeric=()):
    """A table as it was written: text, but for numbers; an empty cell is missing."""
    found = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    return found.astype(dict.fromkeys(numeric, "int64"))


def counted(folder, given):
    """What pycanon counts of one table: k, and all else of each confidential attribute."""
    data, keys = table(folder / given["file"], given["numeric"]), given["keys"]
    found = {"k": int(anonymity.k_anonymity(data, keys)), "of": {}}
    for column in given["confidential"]:
        c, level = anonymity.recursive_c_l_diversity(data, keys, [column])
        found["of"][column] = {
            "alpha": float(anonymity.alpha_k_anonymity(data, keys, [column])[0]),
            "l": int(level),
            "entropy_l": int(anonymity.entropy_l_diversity(data, keys, [column])),
            "c": None if pd.isna(c) else int(c),
            "t": float(anonymity.t_closeness(data, keys, [column])),
        }
    return found


def generalised(folder, given):
    """What anjana makes of a table: the levels, who is left, and how long it took."""
    data, keys = table(folder / given["file"]), given["keys"]
    hierarchies = {
        name: {int(level): pd.Series(column) for level, column in levels.items()}
        for name, levels in given["hierarchies"].items()
    }
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        made, _, reached = k_anonymity_inner(
            data, [], keys, given["k"], given["suppress"], hierarchies
        )
    return {
        "seconds": time.process_time() - start,
        "levels": {name: int(level) for name, level in reached.items()},
        "records": len(made),
        "k": int(anonymity.k_anonymity(made, keys)),
    }


def main():
    """Do the job of the folder that is named."""
    folder = Path(sys.argv[1])
    jobs = json.loads((folder / "job.json").read_text())
    does = {"count": counted, "generalise": generalised}
    print(json.dumps({name: does[job["do"]](folder, job) for name, job in jobs.items()}))


if __name__ == "__main__":
    main()
