"""Rank swapping, as its description reads."""


def swap_within(windows, uniforms):
    """Each position not yet swapped takes a partner among those free in its window."""
    n = len(windows)
    partner = list(range(n))
    settled = set()
    for i in range(n):
        if i in settled:
            continue
        settled.add(i)
        last = min(n - 1, i + windows[i])
        free = [k for k in range(i + 1, last + 1) if k not in settled]
        if free:
            j = free[int(uniforms[i] * len(free))]
            settled.add(j)
            partner[i], partner[j] = j, i
    return partner


def swap_by(n, steps, tries):
    """Each position draws steps until one leads to a free position, so many times at most."""
    partner = list(range(n))
    settled = set()
    draws = iter(steps)
    for i in range(n):
        if i in settled:
            continue
        for _ in range(tries):
            j = i + int(next(draws))
            if i < j < n and j not in settled:
                settled.add(j)
                partner[i], partner[j] = j, i
                break
        settled.add(i)
    return partner


def permute_within(window, uniforms, source):
    """Each position offers its value to a random one; they exchange if neither gets too far."""
    source = list(source)
    for a, uniform in enumerate(uniforms):
        b = a - window + int(uniform * (2 * window + 1))
        if b in range(len(source)):
            moved = abs(source[a] - b), abs(source[b] - a)
            if max(moved) <= window:
                source[a], source[b] = source[b], source[a]
    return source
