"""Masks that make records alike until a privacy model holds."""
