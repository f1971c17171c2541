"""Information loss: what the masking cost."""
