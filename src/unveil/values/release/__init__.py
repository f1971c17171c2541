"""What a mask hands over: the plan, the release, and the channels that describe the masking."""
