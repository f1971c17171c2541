"""The jobs a user does, from a source to a result."""

from unveil.workflows.steps import quietly

__all__ = ["quietly"]
