"""Link two files without a common attribute, and count the correct links."""

import unveil

people = unveil.households(100, seed=7)
bank = people.select(["person", "income", "rent"])
office = people.select(["person", "tax", "household_size"])

# The identifier is not compared: it states the truth.
for method in ("ranking", "alignment", "auto"):  # auto, the default, chooses without the truth
    attack = unveil.attacks.Structural(method=method, matching="nearest")
    links = unveil.link(bank, office, attack, truth="person", seed=7)
    risk, found = unveil.measures.risk(links), links.finder.details
    print(f"{method} links {risk.expected:.1f} of {risk.n} correctly; a guess {risk.baseline:.0f}")
    for pair in found.get("aligned", ()):
        print(f"    it pairs {pair['mine']} with {pair['release']}")

print(f"auto is {found['sure']:.0%} sure that its links are more than chance")
