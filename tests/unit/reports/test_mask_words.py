"""Masks in words."""

import pytest

from unveil.masks import METHODS
from unveil.reports import mask_words
from unveil.reports.mask_words import effect_in_words
from unveil.support.phrases import plain
from unveil.support.specs import fields_of


@pytest.mark.parametrize("method", mask_words._SENTENCES)
def test_a_sentence_states_a_parameter_of_its_method(method):
    parameter = mask_words._SENTENCES[method][1]
    assert parameter in {field.name for field in fields_of(METHODS.find(method))}
    said, stated = effect_in_words({"method": method, parameter: 0.5})
    assert stated == parameter
    assert "0.5" in plain(said) or "50 %" in plain(said)


@pytest.mark.parametrize("mask", [{"method": "shuffle"}, {"method": "pram", "matrix": [[1]]}])
def test_a_mask_without_words(mask):
    assert effect_in_words(mask) is None
