"""Every word of a report has an entry, and every entry says what its source says."""

import inspect
import re
from pathlib import Path

import msgspec
import pytest

from fixtures import choices
from fixtures.numbered_evidence import BARE, numbered, numbered_comparison
from unveil import attacks, masks
from unveil.measures.information_loss.catalogue import GLOSSARY
from unveil.reports import glossary as module
from unveil.reports.glossary import (
    WORDS,
    Field,
    attack_key,
    explained,
    glossary,
    limit_key,
    loss_key,
    mask_key,
    plain,
)
from unveil.reports.summary import choice_summary, comparison_summary, summary
from unveil.support.phrases import Term
from unveil.support.rules import words
from unveil.support.specs import describe, method_name
from unveil.table.roles import ROLE_MEANINGS
from unveil.values.disclosure_scenario import NAMED, WHO
from unveil.values.intruder import Direction
from unveil.values.results.policy import Policy

ENTRIES = glossary()
NEEDED = """
    record-linkage attack original-to-release release-to-original quasi-identifier confidential
    linked guess ceiling claims control forecast p-value interval rank-of-truth at-risk record-risk
    knowledge noisy-knowledge remasking attribute-risk remedy subgroup household interval-disclosure
    uniqueness k-anonymity l-diversity population-risk sampling-fraction inference homogeneous
    unchanged singled-out row-order loss shape dominated score policy
    matchings matching-nearest matching-one-to-one matching-posterior
"""
LONGEST = 600


@pytest.mark.parametrize("key", ENTRIES)
def test_an_entry_is_plain_sentences(key):
    entry = ENTRIES[key]
    assert entry.key == key
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key)
    assert entry.title
    assert entry.title == entry.title.strip(" :.")
    assert entry.text.endswith(".")
    assert entry.text[0].isupper() or entry.text[0].isdigit()
    assert len(entry.text) <= LONGEST
    for mark in ("`", "**", "::", ":func:", ">>>", "Parameters", "\n", "  ", "None"):
        assert mark not in entry.text, mark


def test_what_a_report_names_is_there():
    assert set(NEEDED.split()) <= set(ENTRIES)
    assert {limit_key(limit) for limit in Policy.__struct_fields__} <= set(ENTRIES)
    assert {loss_key(name) for name in GLOSSARY} <= set(ENTRIES)
    assert {mask_key(method_name(spec)) for spec in masks.METHODS} <= set(ENTRIES)
    assert {f"attack-{method_name(spec)}" for spec in attacks.METHODS} <= set(ENTRIES)
    assert set(words(Direction)) <= set(ENTRIES)
    fields = {field.name: field.type for field in msgspec.structs.fields(attacks.Attack)}
    assert {f"matching-{one}" for one in words(fields["matching"])} <= set(ENTRIES)


def _flat(text):
    return " ".join(text.translate({ord("`"): "", ord("*"): ""}).split()).lower()


def test_an_entry_says_what_its_source_says():
    for key, (_title, source) in WORDS.items():
        text = _flat(ENTRIES[key].text)
        if isinstance(source, Field):
            assert text in _flat(str(inspect.get_annotations(source.struct)[source.name])), key
        elif isinstance(source, str):
            assert source in {*ROLE_MEANINGS.values(), *WHO.values()}, key
        else:
            assert text in _flat(inspect.getdoc(source)), key
    for kind, specs in (("attack", attacks.METHODS), ("mask", masks.METHODS)):
        for spec in specs:
            entry = ENTRIES[f"{kind}-{method_name(spec)}"]
            assert _flat(f"{entry.title}: {entry.text}") in _flat(inspect.getdoc(spec)), spec
    for limit in describe(Policy, "policy").parameters:
        assert ENTRIES[limit_key(limit.name)].text == limit.meaning
    for name, meaning in GLOSSARY.items():
        text = ENTRIES[loss_key(name)].text
        assert text.startswith(f"{meaning.plain} 0 is best")
        assert meaning.definition in text
        assert meaning.blind in text


def test_nothing_is_explained_in_the_glossary_itself():
    source = _flat(Path(module.__file__).read_text())
    for entry in ENTRIES.values():
        for sentence in entry.text.split(". "):
            assert _flat(sentence) not in source or len(sentence) < 40, sentence


def test_no_two_entries_have_one_title():
    titles = [entry.title for entry in ENTRIES.values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("tailored-posterior", "attack-tailored"),
        ("rank-max", "attack-rank"),
        ("rank-max-2", "attack-rank"),
        ("distance-mahalanobis", "attack-distance"),
        ("distance-one-to-one", "attack-distance"),
        ("distance-knowing-3", "attack-distance"),
        ("position", "attack-position"),
        ("positional", "attack"),
        ("somebody-elses", "attack"),
        ("", "attack"),
    ],
)
def test_attacks_are_found_by_their_short_names(name, key):
    assert attack_key(name) == key
    assert key in ENTRIES


def test_masks_that_are_not_ours_are_masks():
    assert mask_key("rank-swapping") == "mask-rank-swapping"
    assert mask_key("somebody-elses") == "mask"


def test_markup_sections_and_examples_are_left_out():
    said = "What `it` is, by :meth:`~a.b.Links.on`.\n\nParameters\n----------\nx\n    Some.\n"
    assert plain(said) == "What it is, by on."
    assert plain("One\nline.\n\n>>> 1 + 1\n2\n") == "One line."
    assert plain("One.\n\nTwo, ``three``.\n\nFour.") == "One. Two, three."
    assert explained("As it is.") == "As it is."


def _terms(value):
    """The keys of all terms in a summary."""
    if isinstance(value, Term):
        yield value.key
    elif isinstance(value, tuple):
        for one in value:
            yield from _terms(one)
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from _terms(getattr(value, field))


@pytest.fixture(scope="module")
def linked():
    found, several = numbered(), numbered_comparison()
    usual = zip(found.scenarios[-3:], NAMED[-3:], strict=True)
    rows = tuple(msgspec.structs.replace(one, name=name) for one, name in usual)
    attackers = msgspec.structs.replace(found, scenarios=(*found.scenarios[:-3], *rows))
    pages = [summary(numbered(BARE)), choice_summary(choices.study()), summary(attackers)]
    for external in (False, True):
        pages += [summary(found, external=external), comparison_summary(several, external=external)]
    return {key for page in pages for key in _terms(page)}


def test_what_is_linked_is_explained(linked):
    assert linked <= set(ENTRIES)
    assert len(linked) > 60


def test_what_is_explained_is_linked_somewhere(linked):
    assert set(WORDS) <= linked


def test_every_link_in_a_sentence_goes_somewhere():
    """Also in those sentences that are said only now and then."""
    paths = Path(module.__file__).parent.rglob("*.py")
    found = [
        re.findall(r"\[[^\]\n]+\]\"?\s*\"?\(([a-z0-9-]+)\)", path.read_text()) for path in paths
    ]
    keys = {key for each in found for key in each} - {"key", "f"}  # what a link looks like
    assert keys >= {"ceiling", "guess", "p-value", "dominated"}
    assert keys <= set(ENTRIES)
