"""What a build adds to the package: the script that draws the charts of a page."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SCRIPT = Path("src/unveil/reports/templates/vega.js")


class PageScript(BuildHookInterface):
    """Vega from vl-convert, so that a page needs 1 MB of it and not the 88 MB that draw PNGs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Write the script; also an editable install has it then, beside the other templates."""
        import vl_convert

        script = vl_convert.javascript_bundle().replace("</script", r"<\/script")
        (Path(self.root) / SCRIPT).write_text(script, encoding="utf-8")
        build_data["artifacts"].append(f"/{SCRIPT}")
