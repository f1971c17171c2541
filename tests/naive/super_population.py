"""Super-population estimators by their definitions, one term of every sum after another."""

import math


def zayatz(histogram, population):
    """Bayes' rule with exact binomial coefficients."""
    n = sum(size * classes for size, classes in histogram.items())
    many = sum(histogram.values())

    def once(j):
        """P(f = 1 | F = j): one of j people is among the n sampled ones."""
        return j * math.comb(population - j, n - 1) / math.comb(population, n)

    chance = sum(classes / many * once(size) for size, classes in histogram.items())
    alone = histogram[1] / many * once(1) / chance
    return histogram[1] * alone * population / n


def pitman_likelihood(histogram, a, t):
    """The log-likelihood of the partition, but for a constant."""
    n = sum(size * classes for size, classes in histogram.items())
    many = sum(histogram.values())
    value = sum(math.log(t + i * a) for i in range(1, many))
    value -= sum(math.log(t + i) for i in range(1, n))
    return value + sum(
        classes * sum(math.log(i - a) for i in range(1, size))
        for size, classes in histogram.items()
    )


def pitman_uniques(a, t, population):
    """The expected uniques: the first person is one, and each of the others leaves it alone."""
    value = float(population)
    for i in range(1, population):
        value *= (t + a + i - 1) / (t + i)
    return value


def snb_sample(classes, a, b, f):
    """The expected uniques and pairs of a sample, summed over the sizes of the classes."""
    chance, uniques, pairs = b**a, 0.0, 0.0
    for j in range(5000):
        size = j + 1
        uniques += chance * size * f * (1 - f) ** (size - 1)
        pairs += chance * size * (size - 1) / 2 * f**2 * (1 - f) ** max(size - 2, 0)
        chance *= (a + j) / (j + 1) * (1 - b)
    return classes * uniques, classes * pairs


def shlosser(histogram, f):
    """The classes of the population (Haas and Stokes 1998, their third modification)."""
    top = sum(i * f**2 * (1 - f**2) ** (i - 1) * c for i, c in histogram.items())
    below = sum((1 - f) ** i * ((1 + f) ** i - 1) * c for i, c in histogram.items())
    left = sum((1 - f) ** i * c for i, c in histogram.items())
    once = sum(i * f * (1 - f) ** (i - 1) * c for i, c in histogram.items())
    return sum(histogram.values()) + histogram[1] * top / below * (left / once) ** 2
