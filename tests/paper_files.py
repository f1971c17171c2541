"""The papers' data sets as plain files: the library's tests read them without `unveil_papers`."""

import os
from pathlib import Path

import unveil


def path_of(name):
    return Path(os.environ.get("UNVEIL_DATA", ".")) / f"{name}.csv"


def read(name):
    return unveil.read(path_of(name), format=unveil.Csv(delimiter=",", missing=("?",)))
