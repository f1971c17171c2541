"""Names are the data's, and the page is ours: nothing in a name gets out of its place."""

import base64
import hashlib
import re
import struct
from xml.etree import ElementTree as ET

import pytest

from fixtures.pages import LABEL, LONG, QUOTES, SCRIPT, TURNED, Page
from unveil.reports.charts.build import specification
from unveil.reports.charts.export import png, svg
from unveil.reports.page import page
from unveil.reports.summary import summary
from unveil.support.phrases import plain
from unveil.wording import printable

OURS = {"application/json", None}


@pytest.fixture(scope="module")
def said(evidence):
    return summary(evidence)


@pytest.fixture(scope="module")
def text(said):
    return page(said)


def test_the_page_is_well_formed(text):
    read = Page(text)
    assert len(read.ids) == len(set(read.ids))
    scripts = [given for tag, given in read.tags if tag == "script"]
    assert {given.get("type") for given in scripts} == OURS
    assert len([given for given in scripts if "type" not in given]) == 1
    targets = {given["href"] for tag, given in read.tags if tag == "a"}
    assert targets <= {f"#{one}" for one in read.ids}
    assert not [given for _, given in read.tags if "src" in given or "action" in given]


def test_nothing_but_our_script_may_run(text):
    read = Page(text)
    digest = base64.b64encode(hashlib.sha256(read.scripts[""].encode()).digest()).decode()
    policy = next(given["content"] for _, given in read.tags if "http-equiv" in given)
    assert f"script-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy


def test_names_are_escaped_and_whole(text):
    names = set(Page(text).names)
    assert {SCRIPT, QUOTES, printable(TURNED), printable(LONG), printable(LABEL)} <= names
    assert "\u202e" not in text
    assert SCRIPT not in text
    assert "<!--" not in text.split("<script", 1)[0]


def test_charts_hold_names_as_data_only(said):
    """Expressions and the names of fields are ours alone: no name of a column is in them."""
    hostile = (SCRIPT, QUOTES, printable(TURNED), LONG.strip(), printable(LABEL), TURNED, LABEL)
    for exhibit in said.exhibits():
        if exhibit.chart is not None:
            for words in _said_to_vega(specification(exhibit)):
                assert not [name for name in hostile if name in words], exhibit.name


def _said_to_vega(value, key=""):
    """What Vega evaluates: expressions, fields and the like; not data, nor what is shown."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name not in ("data", "datasets", "sort", "domain", "description", "title"):
                yield from _said_to_vega(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _said_to_vega(one, key)
    elif isinstance(value, str):
        yield value


@pytest.mark.slow
def test_every_chart_is_a_figure(said):
    drawn = [one for one in said.exhibits() if one.chart is not None]
    assert len({one.name for one in said.exhibits()}) == len(said.exhibits())
    assert all(re.fullmatch(r"[a-z0-9-]+", one.name) for one in said.exhibits())
    for exhibit in drawn:
        drawing = svg(exhibit)
        root = ET.fromstring(drawing)  # noqa: S314 - our own
        assert root.tag.endswith("svg")
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not tags & {"script", "foreignObject", "a", "image"}
        shown = "".join(root.itertext())
        title = plain(exhibit.title).lower() if exhibit.about else plain(exhibit.title)
        shown, title = ("".join(one.split()) for one in (shown, title))  # long ones are wrapped
        assert title[-20:] in shown or len(exhibit.about or "") > 40, exhibit.name
        if exhibit.about is not None and exhibit.name != "shape-1":
            continue  # they are alike
        picture = png(drawing)
        assert picture[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", picture[16:24])
        assert 1000 < width < 6000, exhibit.name
        assert 200 < height < 6000, exhibit.name


def test_the_same_evidence_gives_the_same_bytes(evidence, said, text):
    again = summary(evidence)
    assert again == said
    assert page(again) == text
    drawn = next(one for one in said.exhibits() if one.chart is not None)
    assert svg(drawn) == svg(drawn)
