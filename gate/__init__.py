"""The regression gate: every number that `unveil` makes, recorded and compared.

Two lists are kept for each case. *Numbers* (exit codes, digests of released tables, every numeric
leaf of JSON and of Python results) must be equal. *Words* (pages, help, messages) may change, and
are listed. The gate uses commands and public names only, so that modules can move freely.
"""
