"""The jobs a user does, from a source to a result."""

from unveil.workflows.auditing.checkpoints import quietly

__all__ = ["quietly"]
