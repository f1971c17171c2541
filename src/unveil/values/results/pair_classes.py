"""Classes of pairs: the decisions of Fellegi and Sunter, counted, with their error rates."""

from typing import Annotated, Literal

import msgspec

PairClass = Literal["linked", "clerical", "non-linked"]
PAIR_CLASSES: tuple[PairClass, ...] = ("linked", "clerical", "non-linked")


class ClassCount(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs of one class."""

    name: PairClass  # linked, clerical or non-linked
    pairs: int  # of this class
    expected: float  # matches among them, by the model
    right: int | None  # matches among them, by the truth; None: not known


class DecisionError(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two error rates of the decisions, estimated without the truth."""

    name: Literal["P(LP|U)", "P(NP|M)"]  # other pairs linked, or matches not linked
    allowed: float  # the limit that was asked for
    estimate: float  # by the model
    low: float | None  # end of the interval; None: EM has not converged
    high: float | None  # end of the interval; None: EM has not converged
    found: float | None  # by the truth; None: not known


class WeightBin(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs whose match weights lie between two bounds."""

    low: float  # match weight in bits
    high: float  # match weight in bits
    pairs: float  # with a weight from low on, below high
    expected: float  # matches among them, by the model

    @property
    def others(self) -> float:
        """The other pairs among them, by the model."""
        return max(self.pairs - self.expected, 0.0)


class WeightStep(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a pair's match weight: the prior, or an attribute with its comparison level."""

    part: str  # prior, the attribute, or what their dependence adds
    level: Annotated[
        str,
        msgspec.Meta(
            description="How far the two cells of a pair agree: equal, within a tolerance, or "
            "different. Blank for the prior."
        ),
    ]
    weight: Annotated[
        float,
        msgspec.Meta(
            description="The logarithm to base 2 of how many times more probable this is for a "
            "match than for another pair, in bits; the weights of attributes add up. One bit more "
            "doubles the odds of a match."
        ),
    ]


class PairClasses(msgspec.Struct, frozen=True, kw_only=True):
    """All pairs of two files, divided by match weight so that two error rates are kept.

    Pairs of a high weight are linked, those of a low one are not, and a person reviews those in
    between (clerical). P(LP|U) is the share of pairs of different people that are linked, P(NP|M)
    the share of pairs of one person that are not.
    """

    link_threshold: float | None  # least match weight of a link, in bits; None: nothing is linked
    nonlink_threshold: float | None  # greatest match weight of a non-link, in bits; None: no pair
    classes: tuple[ClassCount, ...]  # linked, clerical, non-linked
    errors: tuple[DecisionError, ...]  # both error rates
    confidence: float  # of the intervals
    simulations: int  # that the intervals are made of; 0: there are none
    converged: bool = True  # whether EM ended within its steps
    sampled: bool  # whether the numbers of pairs are estimated from a sample of them
    possible: int  # matches that are possible, one for each record of the smaller file
    separated: int | None  # matches that blocks do not compare; None: the truth is not known
    answered: int  # pairs with an answer of a clerical review
    answered_yes: int  # of these, the matches
    answered_expected: float  # of these, the matches that the model expects
    weights: tuple[WeightBin, ...]  # the distribution of match weights
    example: tuple[WeightStep, ...]  # prior and attributes of a pattern on the edge of a link

    @property
    def expected(self) -> float:
        """The matches that the model expects among all pairs."""
        return sum(one.expected for one in self.classes)

    @property
    def too_many(self) -> bool:
        """Whether the model expects clearly more matches than are possible."""
        return self.expected > 1.1 * self.possible + 5
