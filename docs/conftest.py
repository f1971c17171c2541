"""What a page registers is forgotten after it."""

import pytest

collect_ignore = ["conf.py", "generated_pages.py", "struct_tables.py"]  # these need Sphinx


@pytest.fixture(autouse=True)
def registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is registered beyond the page."""
    from unveil import attacks, masks
    from unveil.measures.information_loss import further

    for one in (attacks.METHODS, masks.METHODS, further.METHODS):
        monkeypatch.setattr(one, "_registered", {})
