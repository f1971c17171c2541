"""The worst case of a distance, learnt with the truth, with a proof of its bound.

attack          the spec; learning on all records, on halves, and the evaluation
families        parametrised distances: weighted_mean, choquet, bilinear
targets         the records to link and their true candidates
competitors     the candidates that a true one must beat; skyline: those that no other dominates
constraints     a record is linked where all of its linear rows are positive
training        line searches for the parameters that link the most records
bound           the most that any parameters link: conflicts of records (feasibility), the
cheapest records to give up (hitting_set), the paper's integer program (big_m)
solver          HiGHS; the budget is counted work (unveil.support.work)
"""
