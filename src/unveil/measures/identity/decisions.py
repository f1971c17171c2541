"""Decisions: all pairs of two files by class, where the attack weighs pairs."""

from unveil.errors import UsageError
from unveil.values.links import Links
from unveil.values.pair_decisions import Decisions


def decisions(links: Links) -> Decisions:
    """Decide on all pairs of two files: linked, left to clerical review, or not linked.

    Fellegi and Sunter, A theory for record linkage (1969). The attack has both error rates that
    the decisions may have, P(LP|U) and P(NP|M); the decisions are of single pairs, whatever the
    attack's matching. Each error rate has an interval by a parametric bootstrap, which is right as
    far as the model is (see docs/attacks.md for its measured coverage); none before EM converges.

    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> attack = unveil.attacks.Probabilistic(p_link_unmatched=1e-6, p_nonlink_matched=1e-3)
    >>> found = decisions(unveil.attack(people, people, attack, truth="person"))
    >>> [error.name for error in found.classes.errors]
    ['P(LP|U)', 'P(NP|M)']
    """
    found = optional_decisions(links)
    if found is None:
        raise UsageError(
            f"{links.name}: no error rates were given; set p_link_unmatched and p_nonlink_matched "
            "of Probabilistic (links of other people, by `on`, have no decisions)"
        )
    return found


def optional_decisions(links: Links) -> Decisions | None:
    """The decisions; None if the attack makes none."""
    decider = getattr(links.finder, "pair_decisions", None)
    return None if decider is None else Decisions(links, decider)
