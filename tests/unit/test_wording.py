"""Words that messages share."""

from unveil.wording import listing


def test_long_lists_of_names_are_cut():
    assert listing(map(str, range(40))).endswith(", 29 and 10 more")
