"""What the page says of errors in the intruder's values."""

import pytest

from unveil.reports.sections.knowledge import _noise_lead
from unveil.support.phrases import plain
from unveil.values.results.knowledge import ErrorRisk, NoisyKnowledge


@pytest.mark.parametrize(
    ("errors", "said"), [((0.0,), "at an error of 0. An"), ((0.0, 0.5), "of 0, and 0.3 % at 0.5.")]
)
def test_one_error_is_told_once(errors, said):
    """It was: links 0.3 % at an error of 0, and 0.3 % at 0."""
    points = tuple(ErrorRisk(error=error, share=0.003, interval=None) for error in errors)
    noisy = NoisyKnowledge(attack="rank", direction="original-to-release", n=1000, points=points)
    assert said in plain(_noise_lead(noisy))
