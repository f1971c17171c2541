"""The schema file that is to be completed by hand: a line for each role, and how to fill it in."""

from collections.abc import Collection, Mapping

import msgspec

from unveil.table.roles import Role
from unveil.table.schema import Schema

NO_ROLE = 'role = ""\n'
IS_SHARED = "\nper_household = true"
CONFIRM = "all members share it: keep the line if it describes the household"
WORDS = "quasi | confidential | identifier | weight | household | stratum | other"
HEAD = """\
# What the columns are. Give each a role; a column without one breaks every policy.
#   quasi         an intruder may know it         confidential  a person would not want it known
#   identifier    names a person: left out        household     who lives together: left out
#   weight, stratum                               other         no intruder can know it
# A column may have two: role = ["quasi", "confidential"]. Levels are numeric, ordinal, nominal.
# To answer a question, correct the role or the level, and delete the line `question`.
#
# The same in short, in place of the tables below (sdcMicro's words do as well: keyVars, hhId, ...):
#   quasi = ["age", "sex"]
#   confidential = ["income"]
#   household = "hid"
#   weight = "weight"
#   nominal = ["sex"]
#   per_household = ["roof"]
"""


def schema_stub(schema: Schema, likely: Mapping[str, Role], shared: Collection[str] = ()) -> bytes:
    """The TOML file of a schema, with an empty role and its likely value where there is none.

    Columns that members of a household share are per_household; who keeps the line confirms it.

    >>> stub = schema_stub(Schema(numeric="hid"), {"hid": "household"}).decode()
    >>> stub.splitlines()[-2].partition(";")[0]
    'role = ""  # perhaps household'
    """
    tables = []
    for name, fields in schema.to_dict()["attributes"].items():
        flags = {"per_household": True} if name in shared else {}
        table = msgspec.toml.encode({"attributes": {name: {"role": ""} | fields | flags}}).decode()
        hint = f"perhaps {likely[name]}; {WORDS}" if name in likely else WORDS
        table = table.replace(IS_SHARED, f"{IS_SHARED}  # {CONFIRM}", int(name in shared))
        tables.append(table.replace(NO_ROLE, f"{NO_ROLE.rstrip()}  # {hint}\n", 1))
    return "\n".join([HEAD, *tables]).encode()
