"""The worst case of a distance, learnt with the truth, with a proof of its bound.

    attack        the spec; learning on all records and on halves, and the evaluation
    families      parametrised distances: weighted_mean, choquet, bilinear
    competitors   the candidates that a true one must beat (skyline: those that none dominates)
    constraints   a record is linked where all of its linear rows are positive
    training      line searches for the parameters that link the most records
    bound         the most that any parameters link: conflicts of records (feasibility), the
                  cheapest records to give up (hitting_set), the paper's integer program (big_m)

HiGHS solves the programs (solver); budgets are counted in work (unveil.support.work).
"""
