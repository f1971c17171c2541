"""Further loss measures: those of the user's own, measured when they are asked for by name."""

import abc
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import ClassVar

from unveil.errors import SpecError, UnveilError
from unveil.measures.information_loss.catalogue import (
    GLOSSARY,
    MeasuredLoss,
    MeasureMeaning,
    loss_measure,
    mean_or_none,
)
from unveil.support.registry import Registry, concrete_subclass
from unveil.support.specs import Spec, method_name
from unveil.values.file_pair import FilePair
from unveil.wording import suggest


class LossMethod(Spec, frozen=True, kw_only=True):
    """A measure of information loss that a user defines; 0 is its best value.

    It has a `meaning` and computes its value from the original and the release: a number, or a
    number for each attribute, whose mean is then the measure. None: it cannot be computed. It is
    no part of the overall loss.
    """

    meaning: ClassVar[MeasureMeaning]

    @abc.abstractmethod
    def compute(self, pair: FilePair) -> float | Mapping[str, float] | None:
        """The loss, overall or by attribute."""

    def measure(self, pair: FilePair) -> MeasuredLoss:
        """The loss with its meaning; an error of the method is a note, without its message."""
        name, note, overall = method_name(type(self)), "", None
        by_attribute: dict[str, float] = {}
        try:
            value = self.compute(pair)
            if isinstance(value, Mapping):
                numbers = {column: float(one) for column, one in value.items()}
                by_attribute = {column: one for column, one in numbers.items() if isfinite(one)}
                overall = mean_or_none(list(by_attribute.values()))
            elif value is not None:
                overall = float(value)
        except UnveilError as error:
            note = str(error)
        except Exception as error:  # noqa: BLE001 - whose message may quote a cell
            note = f"it failed ({type(error).__name__})"
        n = len(by_attribute) or len(pair.release)
        found = loss_measure(name, overall, n=n, note=note, meaning=self.meaning)
        return MeasuredLoss((found,), {column: {name: v} for column, v in by_attribute.items()})


METHODS: Registry[type[LossMethod]] = Registry(
    "a further loss measure",
    "unveil.measures",
    {},
    method_name,
    concrete_subclass(LossMethod),
    reserved=GLOSSARY,
)
register = METHODS.register


def as_loss_methods(measures: Iterable[str | LossMethod]) -> tuple[LossMethod, ...]:
    """Further measures, given as such or by name."""
    return tuple(_by_name(one) if isinstance(one, str) else one for one in measures)


def _by_name(name: str) -> LossMethod:
    if name in GLOSSARY:
        raise SpecError(f"'{name}' is in every audit; name only further measures of plug-ins")
    near = suggest(name, GLOSSARY).replace("?", ", which is in every audit?")
    if near and name not in METHODS.names():
        raise SpecError(f"'{name}' is not a further loss measure{near}")
    return METHODS.find(name)()
