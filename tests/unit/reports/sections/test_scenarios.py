"""What the page says of the scenarios."""

import pytest

from unveil.reports.sections.scenarios import _shared
from unveil.support.phrases import plain
from unveil.values.results.risk import Interval
from unveil.values.results.scenarios import SharedCount


@pytest.mark.parametrize(
    ("low", "said"), [(1e-4, "0 %"), (0.0, "0 %"), (-1e-4, "0 %"), (0.0006, "0.1 %")]
)
def test_the_lower_end_of_an_interval_rounds_to_0(low, said):
    counted = SharedCount(count=0.0, of=30, share=0.0, interval=Interval(low, 0.132, 0.95))
    assert plain(_shared(counted)).splitlines()[-1] == f"{said} to 13.2 %"
