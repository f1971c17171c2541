"""Plans."""

import pytest

from unveil import Plan
from unveil.errors import SpecError


@pytest.mark.parametrize("masks", [["shuffle"], [{"method": "shuffle"}], [3]])
def test_a_plan_has_masks(masks):
    with pytest.raises(SpecError, match="names and tables of masks go to unveil.mask"):
        Plan(masks)
