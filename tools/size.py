"""Count the lines and Python tokens of the project against the ceilings in size.toml.

Run it by ``make size``. It fails where a count is above its ceiling: a package that may not
grow stays one that a newcomer can read.
"""

import io
import sys
import tokenize
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE,
    tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def main() -> int:
    """Print every count beside its ceiling; 1 where one is above it, else 0."""
    limits = tomllib.loads((ROOT / "size.toml").read_text())
    above = False
    print(f"{'':20}{'lines':>9}{'ceiling':>9}{'tokens':>10}{'ceiling':>10}")
    for folder, limit in limits.items():
        lines, tokens = count(ROOT / folder)
        above |= lines > limit["lines"] or tokens > limit["tokens"]
        print(f"{folder:20}{lines:9,}{limit['lines']:9,}{tokens:10,}{limit['tokens']:10,}")
    if above:
        print("Above the ceiling: delete, or raise size.toml with a reason in ARCHITECTURE.md.")
    return int(above)


def count(folder: Path) -> tuple[int, int]:
    """The lines and the Python tokens of all modules below a folder, layout not counted."""
    texts = [path.read_text() for path in folder.rglob("*.py")]
    tokens = (
        token.type not in LAYOUT
        for text in texts
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
    )
    return sum(text.count("\n") for text in texts), sum(tokens)


if __name__ == "__main__":
    sys.exit(main())
