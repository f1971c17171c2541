"""Wording of messages: counts with nouns, lists of names, suggestions."""

import difflib
import textwrap
from collections.abc import Iterable
from itertools import accumulate

__all__ = [
    "absent_column", "count", "fitted", "letters", "listing", "ordinal", "printable", "reason",
    "suggest",
]  # fmt: skip

LISTED = 30  # names listed in a message before "and N more"
LONGEST_LIST = (
    130  # characters of the names that a wrong one is answered with: a message has three lines
)


def listing(names: Iterable[str]) -> str:
    """Names in a sentence, cut short where there are many.

    >>> listing(["age", "sex"])
    'age, sex'
    """
    names = list(names)
    shown = ", ".join(names[:LISTED])
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED} more"


def suggest(name: object, options: Iterable[str], otherwise: str = "") -> str:
    """The nearest of the options, to end a sentence with; if none is near, a list of them.

    ``otherwise`` introduces the list, which is cut; without it there is none.

    >>> suggest("agee", ["age", "sex"])
    "; did you mean 'age'?"
    >>> suggest("job", ["age", "sex"], "columns are")
    '; columns are: age, sex'
    """
    folded = {option.lower(): option for option in options}
    near = difflib.get_close_matches(name.lower(), folded, n=1) if isinstance(name, str) else []
    if near:
        return f"; did you mean '{folded[near[0]]}'?"
    names = list(folded.values())
    fitting = sum(end <= LONGEST_LIST for end in accumulate(len(one) + 2 for one in names)) or 1
    rest = f" and {len(names) - fitting:,} more" if fitting < len(names) else ""
    return f"; {otherwise}: {', '.join(names[:fitting])}{rest}" if otherwise else ""


def absent_column(name: str, columns: Iterable[str]) -> str:
    """The message for a column that is not there.

    >>> absent_column("agee", ["age", "sex"])
    "column 'agee' is not in the data; did you mean 'age'?"
    """
    return f"column '{name}' is not in the data{suggest(name, columns, 'its columns are')}"


def reason(error: OSError) -> str:
    """The operating system's reason for an error."""
    return (error.strerror or type(error).__name__).lower()


def count(n: int, noun: str) -> str:
    """A count with its noun.

    >>> count(1, "record"), count(2000, "record")
    ('1 record', '2,000 records')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def ordinal(n: int) -> str:
    """A place in an order.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd', '111th']
    """
    ending = "th" if 10 < n % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"


def letters(n: int) -> str:
    """A place in an order as letters.

    >>> [letters(n) for n in (1, 2, 26, 27, 52, 53, 702, 703)]
    ['A', 'B', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']
    """
    before, last = divmod(n - 1, 26)
    return (letters(before) if before else "") + chr(ord("A") + last)


def fitted(text: str) -> str:
    """Text in lines of at most 80 characters, as a terminal and a notebook show it."""
    return textwrap.fill(text, 80, subsequent_indent="  ", break_on_hyphens=False)


def is_text(text: str) -> bool:
    """Whether a text can be written; bytes that are no text come from a command line as halves."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def printable(text: str) -> str:
    r"""Text without control characters, safe for a terminal.

    >>> printable("a\x1b[31mb\n")
    'a\\x1b[31mb\\n'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
