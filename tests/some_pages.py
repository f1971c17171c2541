"""Read a page as a browser and a sceptic would: its figures, its names, its scripts, its words."""

from __future__ import annotations

import json
from html.parser import HTMLParser

# Of the audit whose pages are read: all that must be escaped, or must not be there.
SEED, PLAN_SEED = 918273645, 564738291
SCALE = 0.31415  # of the noise: a parameter that is unmistakable
SCRIPT = "<script>alert(1)</script>"
QUOTES = "a'b\"c`d` & \\ {} [e](f)"
TURNED = "x\u202ey"
LONG = "long " * 60
LABEL = "</script><!-- \u202e ' \" & label"
STAYED = "stayed"
FILE = "marked' \"&<b>.csv"

EMPTY = {"meta", "link", "br", "hr", "img", "input"}
APART = {"data", "bdi", "code", "caption", "thead", "style", "script", "title"}  # no prose


class Page(HTMLParser):
    """What a page holds; an element that is left open, or closed twice, is refused."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.ids = [], [], []
        self.figures, self.names, self.prose, self.scripts = [], [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert len(given) == len(attrs), "an attribute is there twice"
        assert not [name for name in given if name.startswith("on")], "a handler"
        self.tags.append((tag, given))
        if "id" in given:
            self.ids.append(given["id"])
        if tag not in EMPTY:
            self.open.append((tag, given))
        if tag == "data":
            self.figures.append(json.loads(given["value"]))
        if tag == "bdi":
            self.names.append("")
        if tag == "script":
            self.scripts[given.get("id", "")] = ""

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if tags[-1:] == ["bdi"]:
            self.names[-1] += data
        if tags[-1:] == ["script"]:
            self.scripts[self.open[-1][1].get("id", "")] += data
        inside = [given.get("class") for _, given in self.open]
        if not APART & set(tags) and "glossary" not in inside:
            self.prose.append(data)

    def charts(self):
        """The specifications of the charts, by name."""
        start = "chart-"
        return {
            key[len(start) :]: json.loads(text)
            for key, text in self.scripts.items()
            if key.startswith(start)
        }


def rows_of(specification):
    """Every row that a chart draws."""
    if isinstance(specification, list):
        for one in specification:
            yield from rows_of(one)
    if isinstance(specification, dict):
        if isinstance(specification.get("data"), dict):
            yield from specification["data"].get("values", [])
        for rows in specification.get("datasets", {}).values():
            yield from rows
        for key, value in specification.items():
            if key not in ("data", "datasets"):
                yield from rows_of(value)


def leaves(value):
    """The numbers of a JSON document, and how many each of its lists holds."""
    if isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        yield len(value)
        for one in value:
            yield from leaves(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def texts(value):
    """The text of a JSON document, keys and all."""
    if isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, str):
        yield value
