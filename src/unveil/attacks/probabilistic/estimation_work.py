"""What estimates are expected to take, in laptop seconds, before pairs are counted.

The constants are fitted to files of 100 to 1,000 people with four to thirteen attributes, and hold
to a factor of two or three. Patterns of agreement decide: EM weighs each of them in every step.
"""

from unveil.attacks.probabilistic.dependence import Dependence
from unveil.attacks.probabilistic.error_intervals import n_simulations
from unveil.attacks.probabilistic.estimation import REFIT_STEPS
from unveil.support.work import WEIGHING_SECONDS

CATEGORY_SLOTS, NUMBER_SLOTS = 3, 4  # levels of an attribute that occur, missing cells included
PATTERN_SHARE = 1 / 3  # of all pairs: the most that patterns are
CLASS_STEP_SECONDS = 7e-5  # a class of pairs in one step of EM with dependence, overhead
SLOT_SECONDS = 5e-8  # an attribute of a pattern in it
REFIT_SECONDS, REFIT_PATTERN_SECONDS = 2e-3, 1e-6  # an estimate without dependence from a near one
CLASSES_FITTED = {"none": 0, "log-linear": 10, "latent": 12, "chosen": 22}  # of all models
CHOSEN_CLASSES = {"none": 0, "log-linear": 2, "latent": 5, "chosen": 5}  # the most
FIT_STEPS = 160  # of EM with dependence: every start, and the best to its end
NUMERIC_DEPENDENCE = 20  # times EM without dependence


def estimation_seconds(
    dependence: Dependence, candidates: int, width: int, *, numeric: bool, decides: bool
) -> float:
    """EM, the choice of a model with dependence, and the intervals of the error rates."""
    patterns = expected_patterns(candidates, width, numeric=numeric)
    class_step = CLASS_STEP_SECONDS + SLOT_SECONDS * patterns * width
    if numeric:
        seconds = WEIGHING_SECONDS * candidates * width
        seconds *= 1 if dependence == "none" else NUMERIC_DEPENDENCE
    else:
        seconds = CLASSES_FITTED[dependence] * FIT_STEPS * class_step
    if decides:
        refit = REFIT_SECONDS + REFIT_PATTERN_SECONDS * patterns
        refit += CHOSEN_CLASSES[dependence] * REFIT_STEPS * class_step
        seconds += n_simulations(patterns) * refit
    return seconds


def expected_patterns(candidates: int, width: int, *, numeric: bool) -> int:
    """About how many patterns of agreement all pairs have."""
    slots = NUMBER_SLOTS if numeric else CATEGORY_SLOTS
    return int(min(PATTERN_SHARE * float(candidates) ** 2, float(slots) ** width))
