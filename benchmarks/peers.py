"""pycanon and anjana, in an environment of their own: they want other versions than we do.

    python benchmarks/peers.py            count the tables of the tests, and keep what pycanon says
    python benchmarks/peers.py sample     the same of some of them: Adult takes minutes

The environment is made on first use, in the user's cache; it needs a Python for which numpy 2.0
is to be had, 3.11 or 3.12. What pycanon counts is kept in `tests/golden/pycanon.json`, which the
suite holds our models against, so that the suite needs none of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

# They ask for exact versions of all else: pycanon 1.3.5 for numpy 2.0.2 and pandas 2.3.3.
PEERS = ("pycanon==1.3.5", "anjana==1.2.3")
HERE = Path(__file__).parent
GOLDEN = HERE.parent / "tests" / "golden" / "pycanon.json"


def environment():
    """The interpreter that has them."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "unveil" / "-".join(PEERS).replace("==", "-")
    python, done = folder / "bin" / "python", folder / "installed"
    if not done.exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
        done.touch()
    return python


def asked(jobs):
    """What they say of some jobs: each a dictionary, and the table that it is about."""
    with tempfile.TemporaryDirectory() as name:
        folder, listed = Path(name), {}
        for place, (job, (told, frame)) in enumerate(jobs.items()):
            frame.write_csv(folder / f"{place}.csv", quote_style="non_numeric", null_value="")
            listed[job] = told | {"file": f"{place}.csv"}
        (folder / "job.json").write_text(json.dumps(listed))
        done = subprocess.run(
            [environment(), HERE / "peers_inside.py", folder],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    return json.loads(done.stdout)


def some_tables():
    """The tables of the tests, which stand beside them."""
    if str(HERE.parent / "tests") not in sys.path:
        sys.path.append(str(HERE.parent / "tests"))
    import some_tables

    return some_tables


def counted(tables):
    """What pycanon counts of tables."""
    jobs = {
        name: (
            {
                "do": "count",
                "keys": one.keys,
                "confidential": one.confidential,
                "numeric": [c for c in one.confidential if one.data.level(c) == "numeric"],
            },
            one.data.to_frame("polars"),
        )
        for name, one in tables.items()
    }
    return asked(jobs)


def main():
    """Keep what pycanon counts of the tables of the tests: of all, or of those that are named."""
    from unveil_papers.datasets import dataset

    own = some_tables()
    tables = own.made_up() | own.of_adult(dataset("adult_train"))
    named = sys.argv[1:] or list(tables)
    found = json.loads(GOLDEN.read_text())["tables"] if sys.argv[1:] else {}
    found |= counted({name: tables[name] for name in named})
    found = {name: found[name] for name in tables}
    GOLDEN.write_text(json.dumps({"by": PEERS, "tables": found}, indent=1) + "\n")
    print(f"{len(named)} tables counted, {len(found)} in {GOLDEN.name}")


if __name__ == "__main__":
    main()
