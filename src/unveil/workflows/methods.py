"""Every method, described from its spec."""

from unveil import attacks, masks, models
from unveil.errors import UsageError
from unveil.files.formats.base import formats
from unveil.measures.information_loss import further
from unveil.measures.information_loss.catalogue import GLOSSARY
from unveil.support.specs import Method, describe
from unveil.wording import suggest


def methods() -> tuple[Method, ...]:
    """Describe every method, by kind and name, with those of plug-ins.

    >>> [method.name for method in methods() if method.kind == "format"][:3]
    ['csv', 'parquet', 'arrow']
    """
    kinds = {
        "mask": masks.METHODS.listed(),
        "model": models.METHODS,
        "attack": attacks.METHODS.listed(),
        "format": formats(),
        "loss": further.METHODS.listed(),
    }
    described = tuple(describe(spec, kind) for kind, specs in kinds.items() for spec in specs)
    return (*described, *map(_loss_measure, GLOSSARY))


def _loss_measure(name: str) -> Method:
    meaning = GLOSSARY[name]
    text = f"{meaning.plain}\n\n{meaning.definition}. It cannot see {meaning.blind}."
    return Method(name=name, kind="loss", summary=meaning.plain, description=text, parameters=())


def method(name: str) -> Method:
    """Describe one method.

    >>> method("csv").parameters[0].name
    'delimiter'
    """
    known = {m.name: m for m in methods()}
    if name not in known:
        raise UsageError(
            f"'{name}' is not a method{suggest(name, known) or '; `unveil methods` lists all'}"
        )
    return known[name]
