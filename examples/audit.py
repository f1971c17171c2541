"""Audit a release: hold it to the limits that its steward has set."""

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

# To be quick. By default every attack that fits the data is made, and much else is looked into.
quick = unveil.AuditSettings(sweep=False, errors=(), remask=0, remedies=False, worst_case=False)
attacks = ["distance", "rank-max", "position"]
found = unveil.audit(survey, release, attacks=attacks, policy=limits, seed=7, settings=quick)

print(found)
for limit in found.verdict.limits:
    print(f"- {limit.limit}: {'kept' if limit.kept else 'BROKEN'}: {limit.reason}")
print("It may be released." if found.verdict.passed else "It may not be released.")
# unveil.report(found, "audit.html") writes all that was found as one page.
