"""A fuzzer: seeded cases of tables, schemas, plans, policies, audits and command lines.

    draw        what a case draws, and values that nobody expects
    tables      tables with their schemas
    plans       masks, plans, policies, attacks, settings
    commands    arguments of the command line, and the files that they name
    checks      what must hold
    kinds       what a case does, by kind
    cases       one case: run, watched, and shown by the fewest records that fail
    __main__    many cases on several processes; `python -m tests.fuzz --case SEED:NUMBER` runs one

docs/fuzzing.md says what is generated and what must hold.
"""
