"""Pages of every kind, and a browser that opens them and nothing else."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field

import pytest

import unveil
from looking import HEIGHT
from unveil import masks

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
RECORDS = 120
LIMITS = unveil.Policy(max_risk=0.05, k_anonymity=3, may_stay_unchanged=("sex",), max_loss=0.9)

HACK = "<script>window.hacked=1</script>"
HOSTILE = {  # what columns are called that mean harm
    "region": HACK,
    "sex": "</script><img src=x onerror=window.hacked=1>",
    "age": "\"'`${window.hacked=1}{{ 7 * 7 }}",
    "education": "<!-- & \u202egnp.exe\u202c",
    "income": "W" * 300,
    "tax": "a.b[0]\\'] datum.kind",
    "savings": "ten words that go on and on " * 10,
}


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of a worker; without one they are skipped, but never in CI."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing = f"there is no browser: install one of {', '.join(BROWSERS)}"
        if os.environ.get("UNVEIL_NO_SKIPS"):
            pytest.fail(missing)
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=list(QUIET))
        yield opened
        opened.close()


@dataclass
class Opened:
    """A page in the browser, with all that it said and asked for while it was drawn."""

    page: object
    address: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def ask(self, script, *given):
        """What a function of JavaScript finds on the page."""
        return self.page.evaluate(script, *given)

    def listen(self):
        """Keep every message, error and request from here on."""
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def _hear(self, message):
        if message.type in ("error", "warning", "assert"):
            self.said.append(f"{message.type}: {message.text}")

    def draw(self):
        """Load the page, and wait until every chart is drawn or has failed."""
        self.page.goto(self.address)
        self.page.wait_for_function(
            "() => !document.querySelector('[data-chart]:not([data-drawn])')"
        )


@pytest.fixture(scope="session")
def open_page(browser):
    """A function that opens a file at a width, with a script or without."""
    contexts = []

    def opened(path, width, *, scripts=True):
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHT}, java_script_enabled=scripts
        )
        contexts.append(context)
        made = Opened(context.new_page(), path.as_uri())
        made.listen()
        if scripts:
            made.draw()
        else:
            made.page.goto(made.address)
        return made

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def page_of(tmp_path_factory):
    """A function that writes a page of a kind, once."""
    folder, written, found = tmp_path_factory.mktemp("pages"), {}, {}

    def audit_of(kind):
        if kind not in found:
            found[kind] = AUDITS[kind]()
        return found[kind]

    def written_page(kind):
        if kind not in written:
            path = folder / f"{kind}.html"
            what, options = PAGES[kind](audit_of)
            unveil.report(what, path, **options)
            written[kind] = path
        return written[kind]

    return written_page


def _plain():
    people = unveil.households(RECORDS, seed=7)
    release = unveil.mask(people, [masks.RankSwapping(p=5)], seed=7)
    return _audit(people, release, policy=LIMITS)


def _light():
    """The same people once more, microaggregated, and only attacked."""
    people = unveil.households(RECORDS, seed=7)
    release = unveil.mask(people, [masks.Microaggregation(k=5)], seed=7)
    return _audit(people, release, sweep=False, remedies=False)


def _hostile():
    people = unveil.households(RECORDS, seed=7)
    given = people.schema.to_dict()["attributes"]
    frame = people.to_frame().rename(HOSTILE)
    schema = {HOSTILE.get(name, name): attribute for name, attribute in given.items()}
    order = schema[HOSTILE["education"]]["order"]
    schema[HOSTILE["education"]]["labels"] = {one: f"{one} {HACK}" for one in order}
    people = unveil.Microdata(frame, unveil.Schema.from_dict({"attributes": schema}))
    release = unveil.mask(people, [masks.RankSwapping(p=5)], seed=7)
    return _audit(people, release)


def _audit(people, release, **given):
    return unveil.audit(people, release, attacks=["distance", "rank-max"], remask=0, **given)


def _beside(audit_of, names):
    return unveil.compare([audit_of("plain"), audit_of("light")], names=names), {}


AUDITS = {"plain": _plain, "light": _light, "hostile": _hostile}
PAGES = {
    "audit": lambda audit_of: (audit_of("plain"), {}),
    "external": lambda audit_of: (audit_of("light"), {"external": True}),
    "comparison": lambda audit_of: _beside(audit_of, ["swapped", "microaggregated"]),
    "hostile": lambda audit_of: (audit_of("hostile"), {}),
    "hostile-comparison": lambda audit_of: _beside(audit_of, [HACK, HOSTILE["income"]]),
}
