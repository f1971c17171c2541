"""Attack a release: count the people whom an intruder finds by a few attributes."""

import unveil

survey = unveil.households(500, seed=7)
swapped = ["age", "hours", "income", "savings"]
release = unveil.mask(survey, unveil.masks.RankSwapping(p=10, columns=swapped), seed=7)

attacks = {
    "by distance": unveil.attacks.Distance(),
    "by rank": unveil.attacks.Rank(criterion="max"),
    "knowing the mask": unveil.attacks.Tailored(),  # the method and its p, but not the seed
}
for knows in (["age", "income"], swapped):
    print(f"An intruder knows {', '.join(knows)}, and finds")
    for name, attack in attacks.items():
        intruder = unveil.Intruder(knows=knows)
        links = unveil.attack(survey, release, attack, intruder=intruder)
        risk = unveil.measures.risk(links)
        print(f"    {name:16} {risk.expected:5.1f} of {risk.n:,} people")  # a tie of two: a half
    print(f"    (a guess {risk.baseline:.0f}, and no attack more than {risk.ceiling:.0f})")
