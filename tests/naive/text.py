"""Similarities of texts by their definitions, one pair at a time."""

import re
import unicodedata


def jaro(a, b):
    if a == b:
        return 1.0
    reach = max(max(len(a), len(b)) // 2 - 1, 0)
    taken, matched = set(), []
    for i, letter in enumerate(a):
        for j in range(max(0, i - reach), min(len(b), i + reach + 1)):
            if j not in taken and b[j] == letter:
                taken.add(j)
                matched.append(letter)
                break
    if not matched:
        return 0.0
    others = [b[j] for j in sorted(taken)]
    exchanged = sum(x != y for x, y in zip(matched, others, strict=True)) // 2
    m = len(matched)
    return (m / len(a) + m / len(b) + (m - exchanged) / m) / 3


def jaro_winkler(a, b):
    """Winkler (1990): a common prefix of up to four helps where Jaro's similarity is above 0.7."""
    found = jaro(a, b)
    same = common_prefix(a[:4], b[:4])
    return found + 0.1 * same * (1 - found) if found > 0.7 else found


def common_prefix(a, b):
    same = 0
    while same < min(len(a), len(b)) and a[same] == b[same]:
        same += 1
    return same


def edits(a, b):
    """Damerau (1964), any part may be edited again: Lowrance and Wagner's recurrence."""
    most, last = len(a) + len(b), {}
    table = {(-1, -1): most}
    for i in range(len(a) + 1):
        table[i, -1], table[i, 0] = most, i
    for j in range(len(b) + 1):
        table[-1, j], table[0, j] = most, j
    for i in range(1, len(a) + 1):
        column = 0
        for j in range(1, len(b) + 1):
            row, before = last.get(b[j - 1], 0), column
            cost = a[i - 1] != b[j - 1]
            column = column if cost else j
            table[i, j] = min(
                table[i - 1, j - 1] + cost,
                table[i, j - 1] + 1,
                table[i - 1, j] + 1,
                table[row - 1, before - 1] + (i - row - 1) + 1 + (j - before - 1),
            )
        last[a[i - 1]] = i
    return table[len(a), len(b)]


def tokens(a, b):
    one, other = (set(re.findall(r"\w+", text.casefold())) for text in (a, b))
    return len(one & other) / len(one | other) if one | other else 0.0


def soundex(text):
    """American Soundex by its rules, applied one after another."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text).upper() if "A" <= c <= "Z")
    if not plain:
        return text
    digits = plain.translate(str.maketrans("BFPVCGJKQSXZDTLMNR", "111122222222334556"))
    kept = digits[:1] + re.sub("[HW]", "", digits[1:])
    once = re.sub(r"([1-6])\1+", r"\1", kept)
    rest = re.sub("[^1-6]", "", once[1:])
    return (plain[0] + rest + "000")[:4]


def sound(a, b):
    return 1.0 if a == b else 0.5 if soundex(a) == soundex(b) else 0.0


def prefix(a, b, best):
    return max(best, len(a)) if a == b else common_prefix(a, b)


def parts(a, b):
    one, other = ((t[:4], t[4:6], t[6:]) for t in (a.replace("-", ""), b.replace("-", "")))
    equal = sum(x == y for x, y in zip(one, other, strict=True))
    exchanged = one == (other[0], other[2], other[1])
    return max(equal, 2) if exchanged else equal


def score(by, a, b, ends):
    if by == "prefix":
        return prefix(a, b, ends[0])
    known = {"jaro-winkler": jaro_winkler, "damerau-levenshtein": edits, "tokens": tokens,
             "soundex": sound, "parts": parts}  # fmt: skip
    return known[by](a, b)


def level(by, a, b, ends):
    """The first level that a pair reaches; their number if it reaches none."""
    found = score(by, a, b, ends)
    close = (found <= end for end in ends) if by == "damerau-levenshtein" else (
        found >= end - 1e-9 for end in ends)  # fmt: skip
    return next((k for k, yes in enumerate(close) if yes), len(ends))
