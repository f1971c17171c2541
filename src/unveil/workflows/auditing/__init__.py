"""The steps of one audit; `unveil.workflows.audit` runs them in order."""
