"""Check an installation without extras: the demo works, and a missing extra is said in a sentence.

Run it by ``make wheel-check``, with the Python of an environment that has the wheel and no more.
"""

import importlib.util
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

UNVEIL = Path(sysconfig.get_path("scripts")) / "unveil"
EXTRAS = {
    "adbc_driver_postgresql": "postgres",
    "adbc_driver_sqlite": "sqlite",
    "fastexcel": "excel",
    "pandas": "pandas",
    "pyarrow": "arrow",
    "pyreadstat": "stat",
    "rapidfuzz": "text",
    "vl_convert": "figures",
}
NEEDING = {  # arguments that need an extra
    "excel": ["inspect", "people.xlsx"],
    "figures": ["report", "demo/light.json", "--figures", "figures"],
    "postgres": ["inspect", "postgresql://localhost/people?table=people"],
    "sqlite": ["inspect", "sqlite:///people.db?table=people"],
    "stat": ["inspect", "people.sav"],
    "text": [
        "link",
        "people.csv",
        "people.csv",
        "--attack",
        "probabilistic",
        "--comparisons",
        '{"name":{"by":"jaro-winkler"}}',
    ],
}


def main() -> None:
    """Run the demo and what needs an extra in an empty folder."""
    there = [name for name in EXTRAS if importlib.util.find_spec(name)]
    check(not there, f"not a plain installation: it has {', '.join(there)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo = run(folder, "demo")
        check(demo.returncode == 0, f"unveil demo: {demo.stderr}")
        for page in (folder / "demo").glob("*.html"):
            check("vegaEmbed=" in page.read_text(encoding="utf-8"), f"{page.name} draws nothing")
        for file in ("people.xlsx", "people.db", "people.sav"):
            (folder / file).write_bytes(b"")
        (folder / "people.csv").write_text("name,age\nAnna,31\nBert,42\nCarla,53\n")
        for extra, arguments in NEEDING.items():
            done = run(folder, *arguments)
            said = f"pip install 'unveil[{extra}]'" in done.stderr
            check(said and done.returncode == 4, f"unveil {arguments}: {done.stderr}")
    size = sum(one.stat().st_size for one in Path(sys.prefix).rglob("*") if one.is_file())
    print(f"The wheel works without extras; its environment has {size / 1e6:,.0f} MB.")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command says."""
    return subprocess.run([UNVEIL, *arguments], cwd=folder, capture_output=True, text=True)  # noqa: S603, PLW1510


def check(holds: bool, message: str) -> None:
    """End with a message where something does not hold."""
    if not holds:
        sys.exit(message)


if __name__ == "__main__":
    main()
