"""What a case does, by kind. An UnveilError ends a case well; a BrokenError is a failure."""

import os
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

import msgspec
import numpy as np

import unveil
from tests.fuzz import checks, commands, plans
from tests.fuzz.calls import a_call
from tests.fuzz.checks import must_work
from tests.fuzz.draw import JUNK
from tests.fuzz.tables import a_schema
from unveil import Microdata, attacks, files, measures, models
from unveil.files.documents.evidence import evidence_json
from unveil.files.documents.toml import plan_from
from unveil.workflows.auditing.replay import replay


@contextmanager
def threads(cores):
    """Share even small work among so many cores."""
    with (
        patch("os.sched_getaffinity", lambda _process: set(range(cores))),
        patch("unveil.support.threads.SHARED_FROM", 0 if cores > 1 else 4096),
    ):
        yield


def _settled(case, attempt, tries=4):
    """The first attempt that is not refused; every refusal is heard."""
    for _ in range(tries - 1):
        try:
            return attempt()
        except unveil.UnveilError as refusal:
            case.refuse(refusal)
    return attempt()


def _masked(case, table, **options):
    """A release of the table by a plan that suits it."""
    data = table.data()
    case.heard("repr", f"{data!r} {data.schema!r}")

    def attempt():
        plan = plans.a_plan(case.draw, table, **options)
        case.did("mask", plan)
        if case.draw.chance(0.3) or {*plan} != {"seed", "mask"}:
            return unveil.mask(data, plan_from(plan))
        return unveil.mask(data, plan["mask"], seed=plan["seed"])

    release = _settled(case, attempt)
    case.heard("repr", f"{release!r} {release.channels!r} {release.plan!r} {release.details!r}")
    return data, release


def _guarantees(data, release):
    """The promises of the masks of a plan, and their keys."""
    kept = [name for name in data.columns if name in release.data.columns]
    for place, mask in enumerate(release.plan.masks):
        named = getattr(mask, "columns", None) or getattr(mask, "groups", None)
        if place and not named:
            continue  # its columns depend on what the steps before it made
        for promised, keys in mask.guarantees(data.select(kept)):
            yield mask, promised, keys


def _class_size(promised):
    """The size of classes of equal rows that a mask promises."""
    return max([one.k for one in promised if getattr(one, "stars", "") == "value"], default=1)


def mask(case):
    """Mask, write, read as text; count what was promised, and the risk on the promised keys."""
    table = case.table()
    data, release = _masked(case, table)
    left = {
        name
        for name in set(data.schema.with_role("identifier")) & set(release.data.columns)
        if not any(one.replaces_identifiers for one in release.plan.masks)
        or set(data.column(name).drop_nulls()) & set(release.data.column(name))
    }
    checks.require(not left, "identifier", f"the release has {left}")
    checks.household_holds(data, release)
    text = checks.WrittenTable(release, case.folder)
    for step, promised, keys in _guarantees(data, release):
        for model in promised:
            checks.promise_holds(step.step, model, keys, text)
        k = _class_size(promised)
        if k > 1 and release.row_map is not None and case.draw.chance(0.3):
            _risk_below(case, data, release, keys, k)
    if case.draw.chance(0.25):
        with must_work("same seed"):
            again = unveil.mask(data, release.plan)
        one, other = (
            checks.bytes_of(each, Path(case.folder, "made.csv")) for each in (release, again)
        )
        checks.require(one == other, "same seed", "the same seed gives other bytes")


def _risk_below(case, data, release, keys, k):
    """Nobody has a risk above 1/k on keys in which k rows are equal."""
    intruder = unveil.Intruder(knows=keys)
    links = unveil.attack(data, release, attacks.Distance(), intruder=intruder)
    highest = measures.hits(links).max(initial=0)
    case.did("distance", {"knows": keys})
    checks.require(highest <= 1 / k + 1e-9, "risk below 1/k", f"{highest} where k is {k}")


def claims(case):
    """Check models and measure a ceiling on a release; join its text with that of the original."""
    draw, table = case.draw, case.table(clean=True)
    data, release = _masked(case, table, faulty=False)
    text = checks.WrittenTable(release, case.folder)
    keys = draw.some([name for name in table.columns if name in release.data.columns], 1, 4)
    case.did("check", keys)
    for promise in models.check(release, models.KAnonymity(k=draw.one(plans.SIZES)), keys=keys):
        checks.classes_hold(promise, text)
    found = measures.uniqueness(release.data, keys)
    least = text.least_class(keys)
    said = f"{found.smallest} where it is {least}"
    checks.require(found.smallest <= least, "uniqueness by text", said)
    if release.row_map is None:
        return
    intruder = unveil.Intruder(knows=keys)

    def attempt():
        spec = plans.an_attack(draw, table)
        case.did("attack", spec)
        return unveil.attack(data, release, spec, intruder=intruder)

    links = _settled(case, attempt)
    risk = measures.risk(links)
    case.heard("repr", f"{links!r} {risk!r} {risk}")
    checks.risk_holds(risk)
    original = checks.WrittenTable(data, case.folder)
    checks.text_join_holds(risk, original, text, release.row_map)


def attack(case):
    """Attack a release; then with the rows and the columns of both files in another order."""
    draw, table = case.draw, case.table(clean=case.draw.chance(0.8))
    if draw.chance(0.7):
        data, release = _masked(case, table, faulty=False)
    else:
        data = table.data()
        release = unveil.mask(data, [{"method": "shuffle"}], seed=1)

    def attempt():
        spec, given = plans.an_attack(draw, table), plans.an_intruder(draw, table)
        case.did("attack", {"attack": spec, "intruder": given})
        intruder = unveil.Intruder(**given)
        return spec, given, unveil.attack(data, release, spec, intruder=intruder, seed=3)

    spec, given, links = _settled(case, attempt)
    intruder = links.intruder
    risk = measures.risk(links)
    case.heard("repr", f"{links!r} {intruder!r} {risk!r} {risk} {measures.at_risk(links)}")
    checks.risk_holds(risk)
    whole = "records" not in given
    if release.row_map is None or links.attack.uses_row_order or not whole:
        return
    p, q = draw.rng.permutation(len(data)), draw.rng.permutation(len(release))
    place = np.argsort(p)
    names = [draw.some(list(one.columns), 99) for one in (data, release.data)]
    moved = data.take(p).select(names[0]), release.data.take(q).select(names[1])
    if given.get("channel") or links.attack.knows is not None:
        return  # only the release itself knows its channels
    with must_work("row and column order"):
        truth = place[release.row_map[q]]
        other = unveil.attack(*moved, spec, intruder=intruder, truth=truth, seed=3)
        hits = measures.hits(other)
    order = q if links.intruder.reverse else p
    checks.same_numbers(
        risk.expected, np.sort(hits).sum(), "row and column order", "expected hits", 1e-7
    )
    checks.same_numbers(measures.hits(links)[order], hits, "row and column order", "hits", 1e-7)


def promise(case):
    """Check any privacy models on any table, and compare k with the text."""
    draw, table = case.draw, case.table()
    data = table.data()
    text = checks.WrittenTable(data, case.folder)

    def attempt():
        model, keys = plans.a_model(draw, table), draw.some(table.columns, 1, 4)
        case.did("check", {"model": model, "keys": keys})
        return models.check(data, [model], keys=keys)

    for one in _settled(case, attempt):
        case.heard("repr", f"{one!r} {one}")
        checks.classes_hold(one, text)


def round_trip(case):
    """Write a table, a schema, a plan; read them, and they are equal."""
    draw, table = case.draw, case.table()
    data = _declared(table)
    ending = draw.one(commands.ENDINGS)
    path = Path(case.folder, f"t.{ending}")
    where = f"sqlite:///{path}?table=t" if ending == "db" else path
    case.did("write", ending)
    try:
        unveil.write(data, where)
    except unveil.UnveilError as error:
        checks.nothing_left({}, checks.files_in(case.folder), str(error))
        raise
    with must_work("round trip"):
        back = unveil.read(where, data.schema)
    if ending in ("parquet", "arrow"):  # others have no place for some types
        checks.require(back == data, "round trip", f"{ending}: the table is another")
    same = back.columns == data.columns and len(back) == len(data)
    checks.require(same, "round trip", f"{ending}: the table has another size")
    kinds = set(table.kinds.values())
    coarse = "time" in kinds or (table.shape == "pandas" and "date" in kinds)  # other fractions
    if ending in ("csv", "tsv") and not coarse:
        one, other = (checks.WrittenTable(each, case.folder).rows for each in (data, back))
        checks.require(one == other, "round trip", f"{ending}: the text is another")
    with must_work("round trip"):
        unveil.write(data.schema, path.with_suffix(".toml"))
        again = files.read_schema(path.with_suffix(".toml"))
    checks.require(again == data.schema, "round trip", "the schema is another")


def _declared(table):
    """The data with all that its types say in the schema: a text file has no types."""
    data = table.data()
    declared = {
        name: msgspec.structs.replace(
            data.schema[name], level=data.level(name), order=data.order(name)
        )
        for name in data.columns
        if data.column(name).null_count() < len(data)
    }
    return Microdata(table.native(), unveil.Schema(declared))


def schema(case):
    """Read schemas, mostly wrong ones, from values and from files, and use them."""
    draw, table = case.draw, case.table()
    made = a_schema(draw, table)
    case.did("schema", made)
    if draw.chance(0.5):
        path = Path(case.folder, "s.toml")
        path.write_bytes(commands.written(made))
        read = files.read_schema(path)
    else:
        read = unveil.Schema(**made)
    case.heard("repr", repr(read))
    with must_work("round trip"):
        unveil.write(read, Path(case.folder, "again.toml"))
        again = files.read_schema(Path(case.folder, "again.toml"))
    checks.require(again == read, "round trip", "the schema is another")
    found = unveil.inspect(table.native(), read)
    case.heard("repr", repr(found))
    unveil.Schema.infer(unveil.Microdata(table.native(), read))


def plan(case):
    """Read a plan or a policy, some wrong, from its file; write it, and read it again."""
    draw, table, path = case.draw, case.table(most=6), Path(case.folder, "p.toml")
    if draw.chance(0.5):
        made, read = plans.a_plan(draw, table, python=False), files.read_plan
    else:
        made, read = plans.a_policy(draw, table), files.read_policy
    case.did(read.__name__, made)
    path.write_bytes(commands.written(made))
    first = read(path)
    case.heard("repr", repr(first))
    with must_work("round trip"):
        unveil.write(first, path, force=True)
        again = read(path)
    checks.require(again == first, "round trip", "the document is another")


def spec(case):
    """Make settings, attacks, intruders and models of which one parameter may be anything."""
    draw, table = case.draw, case.table(most=6)
    data = table.data()
    ways = {
        plans.some_settings: lambda made: unveil.AuditSettings(**made),
        plans.an_intruder: lambda made: unveil.Intruder(**made),
        plans.an_attack: lambda made: unveil.attack(data, data, made, truth="row-order"),
        plans.a_model: lambda made: models.check(data, made, keys=table.columns),
    }
    way = draw.one(list(ways))
    made = way(draw, table)
    made[draw.one([*made, "junk"])] = draw.one(JUNK)
    case.did(way.__name__, made)
    case.heard("repr", repr(ways[way](made)))


def command(case):
    """Run a command line; it ends as documented, says no value, and writes whole files or none."""
    draw, table = case.draw, case.table(most=20, clean=case.draw.chance(0.8))
    os.chdir(case.folder)
    args = commands.a_command(draw, table, case.folder)
    case.did("unveil", args)
    before = checks.files_in(case.folder)
    outcome = commands.Outcome(args)
    shown = "--show-values" in args
    if not shown:
        case.heard("standard output", outcome.printed)
    case.heard("standard error", outcome.complained)
    if outcome.code not in commands.DOCUMENTED:
        raise outcome.error or checks.BrokenError("exit code", f"{outcome.code}")
    case.counts[f"exit {outcome.code}"] += 1
    after = checks.files_in(case.folder)
    if outcome.code > 1:
        checks.nothing_left(before, after, f"exit {outcome.code}, {outcome.complained[:200]}")
        checks.require(outcome.complained, "messages", "refused without a word")
        return
    for name in [one for one in after if before.get(one) != after[one]]:
        if name.endswith((".html", ".json", ".plan.toml", ".svg")) and not shown:
            case.heard(name, after[name].decode(errors="replace"))
        if name.endswith(".json"):
            with must_work("whole or absent"):
                files.read_evidence(name)
    if "--json" in args and "--help" not in args and "-h" not in args:
        try:
            msgspec.json.decode(outcome.printed)
        except msgspec.DecodeError:
            raise checks.BrokenError("json", outcome.printed[:200]) from None


def call(case):
    """Call a public name with a value that nobody expects: only an UnveilError comes out."""
    os.chdir(case.folder)
    table = case.table(most=6, clean=True)
    name, junk, run = a_call(case.draw, table)
    case.did(name, {"junk": junk})
    run()


def audit(case):
    """A small audit: evidence, page, and a replay that says the same."""
    draw, table = case.draw, case.table(most=24, clean=True)
    os.chdir(case.folder)
    data, release = _masked(case, table, faulty=False)
    on_file = release.row_map is not None and draw.chance(0.5)
    sources, truth, more = (data, release), "none" if release.row_map is None else None, {}
    if on_file:
        unveil.write(data, "survey.parquet")
        unveil.write(release, "release.parquet", row_map="rows.csv")
        unveil.write(release.schema, "release.toml")
        sources, truth = ("survey.parquet", "release.parquet"), "rows.csv"
        more = {"release_schema": "release.toml"}

    def attempt():
        settings, policy = plans.some_settings(draw, table), plans.a_policy(draw, table)
        case.did("audit", {"settings": settings, "policy": policy})
        return unveil.audit(
            *sources,
            schema=data.schema if on_file else None,
            truth=truth,
            policy=unveil.Policy(**policy),
            attacks=draw.one((["distance"], ["distance"], ["rank-max"], ["compatible"])),
            settings=unveil.AuditSettings(**settings | more),
        )

    found = _settled(case, attempt)
    for one in found.evidence.attacks:
        checks.risk_holds(one.risk)
    case.heard("repr", f"{found!r} {found}")
    unveil.write(found, "audit.json")
    with must_work("evidence"):
        again = files.read_evidence("audit.json")
    text = Path("audit.json").read_bytes()
    checks.require(evidence_json(again) == text, "evidence", "what is read is not what was found")
    case.heard("evidence", text.decode())
    off = found.evidence.read_off  # other columns may give away what the keys do not show
    whole = off is None or not off.returned + off.resolved + off.narrowed
    for step, promised, keys in _guarantees(data, release):
        if whole and set(found.evidence.known) <= set(keys):
            k = _class_size(promised)
            for name, risks in found.risks.items():
                highest = np.nanmax(risks, initial=0)
                said = f"{step.step} {name}: {highest} where k is {k}"
                checks.require(highest <= 1 / k + 1e-9, "risk below 1/k", said)
    if draw.chance(0.5):
        with must_work("page"):
            unveil.report(found, "page.html", external=draw.chance(0.5))
        case.heard("page", Path("page.html").read_text())
    if on_file:
        with must_work("replay"):
            result = replay(again, folder=".")
        checks.require(result.same, "replay", f"{result.differences[:3]}")


def on_cores(case):
    """One thread and two: the same release, the same hits."""
    draw, table = case.draw, case.table(clean=True)
    with threads(1):
        data, release = _masked(case, table, faulty=False)
    spec = plans.an_attack(
        draw, table, {"distance": 3, "rank": 2, "probabilistic": 1, "compatible": 1}
    )
    hits, made = [], []
    for cores in (1, 2):
        with threads(cores), must_work("threads") if hits or made else nullcontext():
            again = unveil.mask(data, release.plan)
            made.append(checks.bytes_of(again, Path(case.folder, "made.csv")))
            if release.row_map is not None:
                hits.append(measures.hits(unveil.attack(data, again, spec)).tolist())
    checks.require(made[0] == made[1], "threads", "two threads give another release")
    checks.require(hits[:1] == hits[1:], "threads", "two threads give other hits")


def loss(case):
    """The loss and the disclosure of a release, and links without a truth."""
    draw, table = case.draw, case.table(most=30, clean=True)
    data, release = _masked(case, table, faulty=False)
    pair = measures.FilePair.of(data, release.data, release.row_map)
    found = measures.numeric(pair) if draw.chance(0.3) else measures.interval_disclosure(pair)
    case.heard("repr", repr(found))
    case.heard("repr", repr(measures.unchanged(pair)))
    case.heard("repr", repr(measures.release_uniqueness(pair)))
    links = unveil.link(data, release.data, "distance")
    case.heard("repr", f"{links!r}")
    links.pairs()


KINDS = {  # how often each is drawn
    mask: 30, claims: 13, attack: 12, promise: 7, round_trip: 7, schema: 8, plan: 4, spec: 4,
    command: 9, call: 5, on_cores: 2, loss: 2, audit: 1,
}  # fmt: skip
