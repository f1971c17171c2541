"""One seed, named streams: every random step draws from its own generator."""

import hashlib

import numpy as np


def stream(seed: int, *names: str) -> np.random.Generator:
    """The random generator of one step, determined by the seed and the names alone.

    The names (of the step, of the column) are hashed with the seed, so that a step draws the same
    numbers whatever runs before or beside it, on any number of threads.
    """
    # Lengths are hashed too: ("ab", "c") and ("a", "bc") are different streams.
    text = "".join(f"{len(name)}:{name}" for name in (str(int(seed)), *names))
    digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
    words = np.frombuffer(digest, dtype="<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words.tolist())))
