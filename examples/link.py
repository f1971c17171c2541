"""Link two files that have no attribute in common, and count what the links are worth."""

import unveil

people = unveil.households(100, seed=7)
bank = people.select(["person", "income", "rent"])
office = people.select(["person", "tax", "household_size"])

# An identifier is never compared: here it tells which links are right.
for method in ("ranking", "alignment", "auto"):  # auto, the default, chooses without the truth
    attack = unveil.attacks.Structural(method=method, matching="nearest")
    links = unveil.link(bank, office, attack, truth="person", seed=7)
    risk, found = unveil.measures.risk(links), links.finder.details
    print(f"{method} links {risk.expected:.1f} of {risk.n} rightly; a guess {risk.baseline:.0f}")
    for pair in found.get("aligned", ()):
        print(f"    it takes {pair['mine']} and {pair['release']} for the same")

print(f"auto is {found['sure']:.0%} sure that there is more to be found than by chance")
