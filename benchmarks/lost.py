"""What a release of records made alike has lost, and what it keeps: counted on the file."""

from __future__ import annotations

import numpy as np

from unveil.measures import FilePair
from unveil.measures.information_loss.generalisation import openness
from unveil.models import KAnonymity, check
from unveil.models.row_counts import classes_of


def figures(data, release, *, wildcards=False):
    """Discards, stars, cells as they were, value-set loss, classes and k, of the keys.

    Shares of cells are of all records, those that were discarded among them, but for stars,
    which are of the released ones. There is no value-set loss where cells are told that are not
    true, as means are.
    """
    keys = data.schema.with_role("quasi")
    keys = [name for name in data.columns if name in keys]
    both = FilePair.of(data.select(keys), release.data.select(keys), release.row_map)
    lost = {one.name: one.value for one in openness(both).measures}
    share = len(release) / len(data)
    same = [mine[both.originals] == told[both.released] for mine, told in map(both.cells, keys)]
    told_truly = any(release.data.schema[name].generalised for name in keys) or np.all(same)
    return {
        "discarded": len(data) - len(release),
        "stars": lost["suppressed"],
        "intact": float(np.mean(same)) * share,
        "loss": 1 - share * (1 - lost["generalisation"]) if told_truly else None,
        "classes": len(classes_of(release.data, keys).sizes),
        "k": int(check(release.data, KAnonymity(k=1), keys=keys)[0].found),
        "fit": int(check(release.data, KAnonymity(k=1, stars="wildcard"), keys=keys)[0].found)
        if wildcards
        else None,
    }
