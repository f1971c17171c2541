"""The results of masking: the plan, the release, and the channels that describe it."""
