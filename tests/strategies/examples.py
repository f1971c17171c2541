"""How many examples hypothesis draws for a property."""

from hypothesis import settings

LEAST = 100  # of every property in `make test-all` and beyond
THOROUGH = settings.default.max_examples >= LEAST


def examples(times):
    """So many times the profile's number; costly properties take a share of it in `make test`."""
    profile = settings.default.max_examples
    return settings(max_examples=max(int(times * profile), LEAST if THOROUGH else 1))
