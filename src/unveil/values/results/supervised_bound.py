"""The worst case within a family of distances, trained with the truth."""

import msgspec

PROOF_GAP = 1e-6  # in links, below which a bound is proven
ENDED = {  # why the search for a proof ended
    "time": "its budget was spent",
    "steps": "its steps were spent",
    "stopped": "it was stopped",
    "unclear": "the solver could not decide it",
    "sample": "it was learnt on a sample",
}


class HeldOut(msgspec.Struct, frozen=True, kw_only=True):
    """The links of a distance that was trained on other people.

    A distance that is trained on some people may fit just these people. So its parameters are
    trained on one half of the records and attack the other half, several times. The mean share
    linked ranges from 0 to 1; compare it with the share in the training half and with weights that
    need no truth.
    """

    splits: int
    learnt_on: float  # share linked in the training halves
    linked: float  # in the other halves
    each: tuple[float, ...]  # the same, by split
    moments: float  # in the other halves, by weights that need no truth
    plain: float  # in the other halves, with equal weights


class AttributeInteraction(msgspec.Struct, frozen=True):
    """The interaction of two attributes, from -1 to 1; 0 where they are additive."""

    first: str
    second: str
    strength: float


class SupervisedBound(msgspec.Struct, frozen=True, kw_only=True):
    """The worst case within a family of distances: the parameters that link the most.

    The parameters of the distance are trained with the truth, so that as many records as possible
    are nearer to their true row than to any other. No intruder with the same attributes and a
    distance of this family can link more. Equal rows share a link; other ties do not count. It
    ranges from 0 to all records; compare it with its proven bound and with people not trained on.

    Torra, Record linkage approaches for dynamic database integration (2013), Section 3. The bound
    holds for the family only; the bound for all attacks is the ceiling.
    """

    model: str
    direction: str
    attributes: tuple[str, ...]
    n: int  # records with a true row
    learnt_on: int  # records trained on, fewer where there are too many
    linked: float  # in training: strictly nearest, equal rows by their share
    bound: float  # that no parameters of the family exceed
    gap: float
    ended: str  # "proven", or why the search for a proof ended
    impossible: int | None  # records that no parameters link; None: not known for a matrix
    strict: int  # recounted, nearer than all other candidates
    expected: float  # recounted, ties by their share
    back_strict: int  # the same in the other direction, with the same parameters
    back_expected: float
    plain: float  # expected, with equal weights
    moments: float  # expected, by weights that need no truth
    importance: dict[str, float]  # weights, Shapley values, or the diagonal; they sum to 1
    together: tuple[AttributeInteraction, ...]  # the strongest first
    held_out: HeldOut | None  # None: too few records
    undecided: int = 0  # linear programs that the solver did not decide
    share: float = 0.0  # linked, of all; stored, since a page computes nothing

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "share", self.linked / self.n if self.n else 0.0)

    @property
    def proven(self) -> bool:
        """Whether it is proven that no parameters link more."""
        return self.gap < PROOF_GAP

    @property
    def why(self) -> str:
        """Why the proof ended."""
        return ENDED.get(self.ended, "it ended")
