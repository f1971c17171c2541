"""A browser that opens pages, and keeps what they say and ask for."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field

import pytest

from looking import HEIGHT

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


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
