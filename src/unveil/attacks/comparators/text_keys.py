"""Keys of single texts: a phonetic code, the first characters, the parts of a date."""

import re
import unicodedata

_LETTERS = {
    letter: digit
    for digit, letters in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), start=1)
    for letter in letters
}
_DATE = re.compile(r"\s*(\d{4})-?(\d{2})-?(\d{2})(?:[T ].*)?\s*$", re.ASCII)
DATE_PARTS = ("year", "month", "day")
DATE_FORMS = "as 1987-03-12 or 19870312"


def folded(text: str) -> str:
    """A text without blanks around it, and each character in one form; blank where it is empty.

    >>> folded(" Ame\N{COMBINING ACUTE ACCENT}lie ") == "Am\N{LATIN SMALL LETTER E WITH ACUTE}lie"
    True
    """
    return unicodedata.normalize("NFC", text).strip()


def soundex(text: str) -> str:
    """The American Soundex code: the first letter and three digits of the consonants.

    Accents are dropped. A text without Latin letters is its own code.

    >>> [soundex(name) for name in ("Robert", "Rupert", "Ashcraft", "Tymczak", "Pfister")]
    ['R163', 'R163', 'A261', 'T522', 'P236']
    """
    plain = unicodedata.normalize("NFKD", text).upper()
    letters = [c for c in plain if "A" <= c <= "Z"]
    if not letters:
        return text
    code, last = letters[0], _LETTERS.get(letters[0], 0)
    for letter in letters[1:]:
        digit = _LETTERS.get(letter, 0)
        if digit and digit != last:
            code += str(digit)
        if letter not in "HW":  # which do not separate equal digits
            last = digit
    return code[:4].ljust(4, "0")


def date_parts(text: str) -> tuple[str, str, str] | None:
    """Year, month and day as they are written, in the calendar or not; None for other text.

    >>> date_parts("1987-03-12"), date_parts("19871399"), date_parts("March")
    (('1987', '03', '12'), ('1987', '13', '99'), None)
    """
    found = _DATE.match(text)
    return None if found is None else (found[1], found[2], found[3])


def words(text: str) -> frozenset[str]:
    """The words of a text, without regard to case, order and punctuation.

    >>> sorted(words("12 High St., Upper-Flat"))
    ['12', 'flat', 'high', 'st', 'upper']
    """
    return frozenset(re.findall(r"\w+", text.casefold()))
