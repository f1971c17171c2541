"""Audit a release: compare it with the limits of its steward."""

import unveil

survey = unveil.households(200, seed=7)
masks = [
    unveil.masks.RankPermutation(p=30, columns=["age", "hours", "household_size", "income"]),
    unveil.masks.Pram(
        theta=0.4, columns=["region", "sex", "education", "marital_status", "occupation"]
    ),
]
release = unveil.mask(survey, masks, seed=7)
limits = unveil.Policy(max_risk=0.1, max_confirmed=0.05, forbid_row_order=True)

# Quick settings: by default an audit makes every attack that fits the data, and further analyses.
quick = unveil.AuditSettings(sweep=False, errors=(), remask=0, remedies=False, worst_case=False)
attacks = ["distance", "rank-max", "position"]
found = unveil.audit(survey, release, attacks=attacks, policy=limits, seed=7, settings=quick)

print(found)
for limit in found.verdict.limits:
    print(f"- {limit.limit}: {'kept' if limit.kept else 'BROKEN'}: {limit.reason}")
print("It may be released." if found.verdict.passed else "It may not be released.")
# unveil.report(found, "audit.html") writes the result as one page.
