"""Record swapping by looking at every household."""


def risk_levels(areas, keys, homes, k):
    """By household: the coarsest level with rare keys, and in how many households these occur."""
    found = {}
    for home in sorted(set(homes)):
        members = [i for i, other in enumerate(homes) if other == home]
        found[home] = (len(areas), 0)
        for level, area in enumerate(areas):
            rarest = min(
                len({h for h, a, q in zip(homes, area, keys, strict=True) if (a, q) == cell})
                for cell in {(area[i], keys[i]) for i in members}
            )
            if rarest < k:
                found[home] = (level, rarest)
                break
    return found


def partners(areas, profiles, rank, usable, order, levels, most):
    """The partner of each household, itself if there is none."""
    partner = list(range(len(rank)))
    free = list(usable)
    for home in order:
        if not most:
            break
        if not free[home]:
            continue
        level = min(levels[home], len(areas) - 1)
        others = [h for h in range(len(rank)) if free[h] and areas[level][h] != areas[level][home]]
        for profile in profiles:
            alike = [h for h in others if profile[h] == profile[home]]
            if level:
                near = [h for h in alike if areas[level - 1][h] == areas[level - 1][home]]
                alike = near or alike
            if alike:
                other = min(alike, key=lambda h: rank[h])
                partner[home], partner[other] = other, home
                free[home] = free[other] = False
                most -= 1
                break
    return partner
