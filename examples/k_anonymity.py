"""Make a survey 5-anonymous in two ways, check it, and attack it."""

import unveil

keys = ["sex", "age", "occupation", "education"]  # known to an intruder
survey = unveil.households(1000, seed=7).select([*keys, "savings"])
bands = unveil.masks.GlobalRecoding(intervals=10, columns=["age"])
masks = {
    "original": [],
    "Mondrian, ranges and sets": [unveil.masks.Mondrian(k=5)],
    "anti-unification, stars": [bands, unveil.masks.AntiUnification(k=5, stars=2)],
}
attacks = [unveil.attacks.Compatible(), unveil.attacks.Distance()]
for name, steps in masks.items():
    release = unveil.mask(survey, steps, seed=7)
    (promise,) = unveil.models.check(release, unveil.models.KAnonymity(k=5))
    links = [unveil.attack(survey, release, attack) for attack in attacks]
    linked = max(unveil.measures.hits(one).sum() for one in links)  # a tie of two counts half
    print(f"{name}: {len(release):,} of {len(survey):,} people are released")
    print(f"    {promise}")
    print(f"    an intruder who knows the keys links {linked:.1f} correctly")
