"""What the released values show: disclosure, cells left as they were, original beside release."""
