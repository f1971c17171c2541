"""An attack, a mask and a loss measure of one's own: defined here, or brought by a package."""

import inspect
import json
import subprocess
import sys
import warnings
from typing import Annotated, ClassVar

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import attacks, masks, measures
from unveil.attacks.base import Attack
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.engines.metric import manhattan
from unveil.errors import PlugInError, SpecError, UnveilError
from unveil.masks.base import MaskedColumn, UnivariateMask
from unveil.measures.information_loss import further
from unveil.support.registry import INTERFACE, SWITCH
from unveil.values.release.channels import Channel
from unveil.workflows.auditing.attack_names import attack_from

REGISTRIES = (attacks.METHODS, masks.METHODS, further.METHODS)
QUICK = {"remedies": False, "worst_case": False, "errors": (), "remask": 0}


class CoarseNumbers(Attack, frozen=True, kw_only=True):
    """Linkage by coarse numbers: link each record to the row with the nearest multiples of a step.

    Whoever knows only round numbers compares only these.
    """

    interface: ClassVar[int] = 1
    step: Annotated[float, msgspec.Meta(gt=0, description="Numbers are rounded to it.")] = 10.0

    def comparable(self, pair, known):
        return tuple(name for name in known if name in pair.plain("numeric"))

    def finder(self, files):
        sides = zip(*(files.numbers(name) for name in files.columns), strict=True)
        mine, _, theirs = (np.rint(np.column_stack(side) / self.step) for side in sides)
        return NearestSearch(
            files, as_records(mine), as_records(theirs), manhattan(), files.columns
        )


class Halved(Channel):
    """A number was halved."""


class Halving(UnivariateMask, frozen=True, kw_only=True):
    """Halving: replace each number by half of it.

    Nobody should do this.
    """

    interface: ClassVar[int] = 1
    levels: ClassVar[tuple[str, ...]] = ("numeric",)
    is_random: ClassVar[bool] = False

    def mask_column(self, data, column, rng):  # noqa: ARG002
        values = data.column(column).cast(pl.Float64) // 2
        return MaskedColumn(values, Halved((column,)))


class MedianShift(measures.LossMethod, frozen=True, kw_only=True):
    """Median shift: how far the medians of numbers moved."""

    interface: ClassVar[int] = 1
    meaning: ClassVar[measures.MeasureMeaning] = measures.MeasureMeaning(
        family="numbers",
        definition="mean over attributes of |m' - m| / s, m the median",
        blind="anything but the middle",
        plain="How far the middle of each attribute moved.",
        worst=None,
    )

    def compute(self, pair):
        shifts = {}
        for name in pair.plain("numeric"):
            original, released = pair.numbers(name)
            gap = abs(np.nanmedian(released) - np.nanmedian(original))
            shifts[name] = gap / np.nanstd(original)
        return shifts


OWN = {"attacks": CoarseNumbers, "masks": Halving, "measures": MedianShift}
HEAD = """
from typing import Annotated, ClassVar
import msgspec
import numpy as np
import polars as pl
from unveil import measures
from unveil.attacks.base import Attack
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.engines.metric import manhattan
from unveil.masks.base import MaskedColumn, UnivariateMask
from unveil.values.release.channels import Channel
"""
SOURCE = HEAD + "\n".join(map(inspect.getsource, (CoarseNumbers, Halved, Halving, MedianShift)))
POINTS = {
    "attacks": {"coarse-numbers": "CoarseNumbers"},
    "masks": {"halving": "Halving"},
    "measures": {"median-shift": "MedianShift"},
}


def make_package(folder, name, source=SOURCE, points=None, version="1.2"):
    """Write an installed package with entry points."""
    module = name.replace("-", "_")
    (folder / module).mkdir(parents=True)
    (folder / module / "__init__.py").write_text(source)
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = []
    for group, named in (points or POINTS).items():
        lines += [f"[unveil.{group}]", *(f"{k} = {module}:{v}" for k, v in named.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture(autouse=True)
def registries(monkeypatch):
    """Nothing is registered or loaded before, nor afterwards."""
    for one in REGISTRIES:
        monkeypatch.setattr(one, "_registered", {})
        monkeypatch.setattr(one, "_loaded", {})


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in [one for one in sys.modules if one.startswith(("own_", "other_"))]:
        del sys.modules[name]


@pytest.fixture(params=["registered", "packaged"])
def brought(request, site):
    """The package and the version of the methods."""
    if request.param == "packaged":
        make_package(site, "own-methods")
        return "own-methods", "1.2"
    attacks.register(CoarseNumbers)
    masks.register(Halving)
    measures.register(MedianShift)
    return CoarseNumbers.__module__.partition(".")[0], ""


@pytest.fixture(scope="module")
def people():
    return unveil.households(60, seed=7)


@pytest.fixture
def files(people, tmp_path, unveil_command):
    """The paths of an original, of a release by the mask of one's own, and of the row map."""
    unveil.write(people, tmp_path / "o.csv")
    unveil.write(people.schema, tmp_path / "o.toml")
    steps = '[[mask]]\nmethod = "halving"\ncolumns = ["income", "hours"]\n'
    (tmp_path / "plan.toml").write_text(f"seed = 1\n{steps}")
    given = ("-s", tmp_path / "o.toml", "-p", tmp_path / "plan.toml", "-o", tmp_path / "r.csv")
    done = unveil_command("mask", tmp_path / "o.csv", *given, "--row-map", tmp_path / "map.csv")
    assert done.code == 0, done.err
    return tmp_path


@pytest.fixture
def files_of_unveil(people, tmp_path):
    """The folder of an original."""
    unveil.write(people, tmp_path / "o.csv")
    return tmp_path


@pytest.mark.usefixtures("brought")
def test_they_are_listed_and_described(unveil_command):
    listed = {one["name"]: one for one in json.loads(unveil_command("methods", "--json").out)}
    kinds = {"coarse-numbers": "attack", "halving": "mask", "median-shift": "loss"}
    assert {name: listed[name]["kind"] for name in kinds} == kinds
    described = unveil_command("methods", "coarse-numbers").out
    assert "Whoever knows only round numbers" in described
    assert "Numbers are rounded to it." in described
    assert "coarse-numbers" in unveil_command("attack", "--help").out
    assert "--step" in unveil_command("attack", "coarse-numbers", "--help").out


@pytest.mark.usefixtures("brought")
def test_the_commands_take_them(files, unveil_command):
    both = files / "o.csv", files / "r.csv"
    given = ("-s", files / "o.toml", "--truth", files / "map.csv", "--knows", "age,hours")
    done = unveil_command("attack", "coarse-numbers", *both, *given, "--step", "0.5", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["risk"]["parameters"] == {"step": 0.5}
    wrong = unveil_command("attack", "coarse-numbers", *both, *given, "--step", "0")
    assert wrong.code == 2
    assert "coarse-numbers: step" in wrong.err


def test_an_audit_has_them_and_says_where_they_come_from(brought, files, unveil_command):
    evidence = files / "audit.json"
    done = unveil_command(
        "audit", files / "o.csv", files / "r.csv", "-s", files / "o.toml",
        "--truth", files / "map.csv", "--plan", files / "plan.toml", "--attack", "coarse-numbers",
        "--measures", "median-shift", "--no-remedies", "--no-worst-case", "--remask", "0",
        "--errors", "0", "--evidence", evidence, "--report", files / "page.html",
    )  # fmt: skip
    assert done.code == 0, done.err
    found = unveil.files.read_evidence(evidence)
    assert {one.name.partition("-knowing")[0] for one in found.attacks} == {"coarse-numbers"}
    assert found.knowledge.attack == "coarse-numbers"  # the sweep
    assert found.loss["median-shift"].value > 0.1
    by_attribute = {one.column: one.values for one in found.loss.attributes}
    assert by_attribute["income"]["median-shift"] > by_attribute["age"]["median-shift"] == 0
    package, version = brought
    assert [(one.kind, one.name) for one in found.plugins] == [
        ("attack", "coarse-numbers"),
        ("mask", "halving"),
        ("loss", "median-shift"),
    ]
    assert {(one.package, one.version) for one in found.plugins} == {(package, version)}
    page = (files / "page.html").read_text()
    for words in (
        "Linkage by coarse numbers</", "Whoever knows only round numbers", "Nobody should do this",
        "How far the middle of each attribute moved.", f"<bdi>{package}",
    ):  # fmt: skip
        assert words in page, words


@pytest.mark.usefixtures("brought")
def test_a_comparison_has_them(people, tmp_path):
    one, two = (
        audits.audit(
            people,
            unveil.mask(people, masks.METHODS.find("halving")(columns=columns), seed=1),
            attacks=["coarse-numbers"],
            measures=["median-shift"],
            sweep=False,
            **QUICK,
        )
        for columns in (["income"], ["hours", "income"])
    )
    compared = unveil.compare([one, two], names=["one", "two"])
    assert {run.name for run in compared["one"].attacks} == {"coarse-numbers"}
    assert "median-shift" in {loss.name for loss in compared["two"].losses}
    unveil.report(compared, tmp_path / "page.html")
    assert "Whoever knows only round numbers" in (tmp_path / "page.html").read_text()
    assert "How far the middle of each attribute moved." in (tmp_path / "page.html").read_text()


@pytest.mark.usefixtures("brought")
def test_an_attack_that_knows_the_mask_takes_a_channel_of_ones_own_for_unknown(people):
    release = unveil.mask(people, masks.METHODS.find("halving")(columns=["income"]), seed=1)
    intruder = unveil.Intruder(knows=["income", "age", "sex"])
    links = unveil.attack(people, release, attacks.Tailored(), intruder=intruder)
    assert measures.risk(links).expected > 30


@pytest.mark.usefixtures("brought")
def test_they_can_be_combined(people):
    both = attacks.Combined(attacks=["distance", {"method": "coarse-numbers", "step": 5}])
    asked = {"attacks": [both], "knows": ["age", "hours"], "sweep": False}
    found = audits.audit(people, people, truth="person", **asked, **QUICK)
    assert [one.name for one in found.evidence.plugins] == ["coarse-numbers"]


def test_a_default_audit_makes_what_a_registered_attack_proposes(people, site):
    make_package(site, "own-methods")

    @attacks.register
    class Mine(CoarseNumbers, frozen=True, kw_only=True):
        """Mine: as coarse numbers."""

        @classmethod
        def in_default_audit(cls, audited):  # noqa: ARG003
            return (cls(step=2),)

    found = audits.audit(people, people, truth="person", sweep=False, **QUICK).evidence
    names = {one.name for one in found.attacks}
    assert {"mine", "distance"} <= names
    assert "coarse-numbers" not in names  # nobody asked for it
    assert "own_methods" not in sys.modules


def test_a_loss_measure_that_fails_is_a_note_without_its_message(people):
    class Failing(MedianShift, frozen=True, kw_only=True):
        """Failing: it fails."""

        def compute(self, pair):  # noqa: ARG002
            raise ValueError("a cell")

    pair = measures.FilePair.of(people, people, np.arange(len(people)))
    found = measures.loss(pair, further=[Failing()])
    assert found["failing"].value is None
    assert found["failing"].note == "it failed (ValueError)"
    plain = measures.loss(pair)
    assert found.overall == plain.overall


def test_a_package_is_loaded_when_it_is_asked_for(site):
    make_package(site, "own-methods")
    assert "coarse-numbers" in attacks.METHODS.names()
    attacks.METHODS.find("rank")
    assert "own_methods" not in sys.modules
    assert attacks.METHODS.find("coarse-numbers").__module__ == "own_methods"


def test_packages_can_be_switched_off(site, monkeypatch, unveil_command):
    make_package(site, "own-methods")
    monkeypatch.setenv(SWITCH, " Off")
    assert "coarse-numbers" not in unveil_command("methods").out
    with pytest.raises(SpecError, match="'coarse-numbers' is not an attack; .* switched off"):
        attacks.METHODS.find("coarse-numbers")
    with pytest.raises(SpecError, match="not a further loss measure; no installed package has any"):
        further.METHODS.find("x")


LOADED = """
import sys
from unveil.cli.main import main
try:
    main()
except SystemExit:
    pass
print(" ".join(one for one in sys.modules if one.startswith("unveil")))
"""
NEWER = SOURCE.replace(
    "interface: ClassVar[int] = 1", f"interface: ClassVar[int] = {INTERFACE + 1}"
)
SILENT = SOURCE.replace("    interface: ClassVar[int] = 1\n", "")


@pytest.mark.parametrize(
    ("source", "points", "message"),
    [
        (NEWER, {"coarse-numbers": "CoarseNumbers"}, "written for version 2 of the plug-in"),
        (SILENT, {"coarse-numbers": "CoarseNumbers"}, "written for version none of the plug-in"),
        ("1 / 0", {"coarse-numbers": "CoarseNumbers"}, "be loaded (ZeroDivisionError: division by"),
        ("import no_such", {"coarse-numbers": "X"}, "cannot be loaded (ModuleNotFoundError:"),
        (SOURCE, {"coarse-numbers": "Absent"}, "cannot be loaded (AttributeError"),
        (SOURCE, {"coarse-numbers": "Halving"}, "is not an attack of that name"),
        (SOURCE, {"coarse": "CoarseNumbers"}, "is not an attack of that name"),
        ("odd = 3", {"coarse-numbers": "odd"}, "is not an attack of that name"),
        ("raise SystemExit(5)", {"coarse-numbers": "X"}, "cannot be loaded (SystemExit: 5)"),
    ],
)
def test_a_bad_package_is_named_and_stops_nothing(
    site, unveil_command, caplog, source, points, message
):
    make_package(site, "own-methods", source, {"attacks": points})
    make_package(site, "other-methods", points={"masks": POINTS["masks"]})
    done = unveil_command("methods")
    assert done.code == 0
    assert message in caplog.text
    assert "own-methods 1.2" in caplog.text
    assert "halving" in done.out
    assert not {*points} & {line.split()[0] for line in done.out.splitlines()}
    with pytest.raises(UnveilError, match="own-methods 1.2"):
        attacks.METHODS.find(next(iter(points)))


def test_a_bad_package_stops_only_who_asks_for_it(site, files_of_unveil, unveil_command):
    make_package(site, "own-methods", "1 / 0")
    both = files_of_unveil / "o.csv", files_of_unveil / "o.csv"
    assert unveil_command("link", *both, "--knows", "age", "--attack", "distance").code == 0
    assert unveil_command("attack", "distance", *both, "--knows", "age").code == 0
    for command in (("attack", "coarse-numbers"), ("link", "--attack", "coarse-numbers")):
        done = unveil_command(*command, *both)
        assert done.code == 2
        assert "'coarse-numbers' of own-methods 1.2 cannot be loaded (ZeroDivision" in done.err


def test_two_of_one_name_are_refused(site):
    make_package(site, "own-methods")
    make_package(site, "other-methods", points={"attacks": POINTS["attacks"]}, version="3")
    both = "'coarse-numbers' is an attack of other-methods 3 and of own-methods 1.2: uninstall one"
    with pytest.raises(SpecError, match=both):
        attacks.METHODS.find("coarse-numbers")
    run = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(site)!r})\n{LOADED}"]
    done = subprocess.run([*run, "methods"], capture_output=True, text=True, check=True)
    assert done.stderr.startswith(both)
    assert "median-shift" in done.stdout
    assert "coarse-numbers" not in done.stdout


@pytest.mark.parametrize(
    ("group", "name"),
    [("attacks", "distance"), ("attacks", "rank-max"), ("masks", "pram"), ("measures", "IL1s")],
)
def test_unveils_own_names_stay_its_own(site, caplog, group, name):
    make_package(site, "own-methods", points={group: {name: "CoarseNumbers"}})
    registry = REGISTRIES[("attacks", "masks", "measures").index(group)]
    assert "own_methods" not in {one.__module__ for one in registry.listed()}
    assert f"'{name}' of own-methods 1.2 is not used: unveil has" in caplog.text


def test_a_variant_keeps_its_name(site):
    make_package(site, "own-methods", points={"attacks": {"rank-max": "CoarseNumbers"}})
    assert attack_from("rank-max") == attacks.Rank(criterion="max")
    with pytest.raises(SpecError, match="'rank-max' is an attack of unveil"):
        attacks.register(type("RankMax", (CoarseNumbers,), {}, frozen=True, kw_only=True))


def test_what_fails_when_it_runs_is_named_without_its_message(people):
    @attacks.register
    class FailingAttack(CoarseNumbers, frozen=True, kw_only=True):
        """Failing attack: it fails."""

        def finder(self, files):  # noqa: ARG002
            raise ValueError("a cell")

    @masks.register
    class FailingMask(Halving, frozen=True, kw_only=True):
        """Failing mask: it fails."""

        def mask_column(self, data, column, rng):  # noqa: ARG002
            raise ValueError("a cell")

    with pytest.raises(PlugInError, match=r"'failing-attack' of .* failed \(ValueError\)"):
        unveil.attack(people, people, FailingAttack(), truth="person")
    with pytest.raises(PlugInError, match=r"'failing-mask' of .* failed \(ValueError\)"):
        unveil.mask(people, [FailingMask(columns=["income"])], seed=1)


def test_what_cannot_be_registered_is_refused():
    with pytest.raises(SpecError, match="'rank' is an attack of unveil; choose another name"):
        attacks.register(type("Rank", (CoarseNumbers,), {}, frozen=True, kw_only=True))
    with pytest.raises(UnveilError, match="Halving cannot be registered: it is not an attack"):
        attacks.register(Halving)
    with pytest.raises(UnveilError, match="cannot be registered: it is not an attack"):
        attacks.register(Attack)
    attacks.register(CoarseNumbers)
    attacks.register(CoarseNumbers)  # a notebook's cell that is run again
    other = type(
        "CoarseNumbers", (CoarseNumbers,), {"__module__": "own"}, frozen=True, kw_only=True
    )
    with pytest.raises(
        SpecError, match="test_plug_ins.CoarseNumbers; choose another name for that of own."
    ):
        attacks.register(other)


def test_one_attack_loads_no_other(people, tmp_path):
    unveil.write(people, tmp_path / "o.csv")
    given = ["attack", "distance", "o.csv", "o.csv", "--knows", "age"]
    run = [sys.executable, "-c", LOADED, *given]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    homes = {one.split(".")[2] for one in loaded if one.startswith("unveil.attacks.")}
    others = {"rank", "probabilistic", "tailored", "combined", "structural", "supervised"}
    assert not homes & others
    assert "distance" in homes
    assert len(loaded) < 340  # all attacks would be 421


def test_the_package_of_attacks_shows_attacks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = dir(attacks)
    assert all(issubclass(getattr(attacks, name), Attack) for name in shown if name != "Distances")
    assert {method.__name__ for method in attacks.METHODS} < set(shown)
    with pytest.raises(AttributeError, match="has no attribute 'Distanse'"):
        attacks.Distanse  # noqa: B018
