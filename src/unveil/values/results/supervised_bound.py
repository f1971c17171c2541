"""Learnt: the worst case within a family of distances, learnt with the truth in hand."""

import msgspec

OPEN = 1e-6  # of a link that is not
ENDED = {  # why the search for a proof ended
    "time": "its budget was spent",
    "steps": "its steps were spent",
    "stopped": "it was stopped",
    "unclear": "the solver could not decide it",
    "sample": "it was learnt on a sample",
}


class HeldOut(msgspec.Struct, frozen=True, kw_only=True):
    """What parameters link that were learnt on other people.

    Who tries all parameters until the links come out right finds some that fit just these people.
    So parameters are learnt on one half of the records, and the other half is attacked with
    them, several times; the mean share linked goes from 0 to 1, and is held against what was
    linked in the half that they were learnt on, and against what needs no truth.
    """

    splits: int
    learnt_on: float  # the share that is linked in the half that was learnt on
    linked: float  # in the other half
    each: tuple[float, ...]  # the same, for each split
    moments: float  # in the other halves, by weights that need no truth
    plain: float  # in the other halves, where every attribute counts the same


class AttributeInteraction(msgspec.Struct, frozen=True):
    """How two attributes act together: from -1 to 1, and 0 where they just add up."""

    first: str
    second: str
    strength: float


class SupervisedBound(msgspec.Struct, frozen=True, kw_only=True):
    """The worst case within a family of distances: the parameters that link the most.

    The parameters of the distance are chosen with the truth in hand, so that as many records as
    can be are nearer to their true row than to any other: no intruder who uses a distance of
    this family can have more of these, knowing the same attributes. Rows that nothing tells apart
    share a link; other ties count nothing here. It goes from 0 to all records, and is held
    against its proven bound, and against what the same learning links among people it has not
    seen.

    Torra, Record linkage approaches for dynamic database integration (2013), Section 3. A bound is
    one on the family, not on all attackers: that is the ceiling.
    """

    model: str
    direction: str
    attributes: tuple[str, ...]
    n: int  # records that look for their true one
    learnt_on: int  # of these, where they were too many
    linked: float  # what was learnt to link: strictly nearest, a row with twins by its share
    bound: float  # what no parameters of the family exceed
    gap: float
    ended: str  # "proven", or why the search for a proof ended
    impossible: int | None  # records that no parameters link; None: of a matrix it is not known
    strict: int  # recounted: nearer than all other candidates
    expected: float  # recounted: ties by their share
    back_strict: int  # the same in the other direction, with the same parameters
    back_expected: float
    plain: float  # expected, where every attribute counts the same
    moments: float  # expected, by weights that need no truth
    importance: dict[str, float]  # weights, Shapley values, or the diagonal; they sum to 1
    together: tuple[AttributeInteraction, ...]  # the strongest first
    held_out: HeldOut | None  # None: too few records to hold any out
    undecided: int = 0  # linear programs that the solver did not decide
    share: float = 0.0  # linked, of all: a page says what is in the evidence and computes nothing

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "share", self.linked / self.n if self.n else 0.0)

    @property
    def proven(self) -> bool:
        """Whether no parameters link more."""
        return self.gap < OPEN

    @property
    def why(self) -> str:
        """Why nothing more was proven."""
        return ENDED.get(self.ended, "it ended")
