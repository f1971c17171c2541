"""Compare three releases of one survey: which protects better, and which loses less."""

import unveil

survey = unveil.households(200, seed=7)
columns = ["age", "hours", "household_size", "income"]
masks = {
    "noise": unveil.masks.AdditiveNoise(scale=0.2, columns=columns),
    "permutation": unveil.masks.RankPermutation(p=15, columns=columns),
    "groups": unveil.masks.Microaggregation(k=20, columns=columns),
}
# Quick settings: by default an audit does more, and a comparison is as good as its audits.
quick = unveil.AuditSettings(
    knows=columns, sweep=False, errors=(), remask=0, remedies=False, worst_case=False
)
releases = [unveil.mask(survey, mask, seed=7) for mask in masks.values()]
audits = [
    unveil.audit(survey, release, attacks=["distance"], seed=7, settings=quick)
    for release in releases
]
found = unveil.compare(audits, names=list(masks), seed=7)

for release in found.releases:
    print(f"{release.name}: {release.risk:.1%} of the people are linked")
for best in found.best:
    if best.criterion in ("risk", "loss"):
        print(f"least {best.criterion}: {', '.join(best.releases)}")
for worse in found.dominated:
    print(f"{worse.release} is dominated by {', '.join(worse.by)}: no less risk, no less loss")
