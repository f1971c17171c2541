"""What the theme leaves out for readers who listen or use a keyboard, added to each built page."""

from pathlib import Path

from sphinx.application import Sphinx

REPLACED = {
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    "<pre>": '<pre tabindex="0">',  # it scrolls where a line is long
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',  # or a table is wide
    '</noscript>\n\n<div id="search-results">': "</noscript>\n<h1>Search</h1>\n"
    '<div id="search-results">',
}


def complete_pages(app: Sphinx, failed: Exception | None) -> None:
    """Name landmarks, give headings a level, let a keyboard reach blocks that scroll."""
    if failed is not None or app.builder.name != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text()
        for old, new in REPLACED.items():
            text = text.replace(old, new)
        page.write_text(text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("build-finished", complete_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
