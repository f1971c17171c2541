"""Test whether match probabilities claim more than anyone can know."""

import unveil

known = ["sex", "occupation", "education"]
people = unveil.households(200, seed=7).select(["person", *known])
pram = unveil.masks.Pram(theta=0.1, columns=["sex", "education"])
release = unveil.mask(people, [pram], seed=7)

# Another program (splink) writes such a table; here an attack takes its place.
attack = unveil.attacks.Probabilistic(matching="posterior")
links = unveil.attack(people, release, attack)

for name, pairs in (("all pairs", links.pairs(k=200)), ("the best pairs", links.pairs())):
    scored = unveil.attack(people, release, unveil.attacks.Pairs(pairs=pairs))
    judged = unveil.measures.formal(scored, columns=known)
    print(f"{name}: {judged.compatible:.1%} compatible, {judged.hit:.1%} on the true row")
