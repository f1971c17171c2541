"""Write a release, read it as text, join by text: never more than what was claimed."""

import tempfile
from pathlib import Path

from hypothesis import event, given

from strategies.examples import examples
from strategies.text_join import cases, check


@examples(1)
@given(cases())
def test_a_reader_of_text_finds_no_more_than_what_is_claimed(case):
    with tempfile.TemporaryDirectory() as folder:
        made = check(case, Path(folder))
    event("made" if made else "refused")
