"""The exact mixture of a channel and the shares of the released cells, pair by pair."""

import numpy as np

from unveil.values.release.category_channels import Transition
from unveil.values.release.channels import Noise


def log_odds(original, release, known, error):
    """The log of each pair's likelihood over that of everybody, if a share of cells is stale."""
    logs = np.zeros((len(original), len(release.data)))
    for channel in release.channels:
        for place, column in enumerate(channel.columns):
            if column in known:
                before, after = (d.column(column).to_list() for d in (original, release.data))
                chance = np.array(
                    [[_likelihood(channel, place, a, b) for b in after] for a in before]
                )
                logs += np.log((1 - error) * chance + error * chance.mean(axis=0))
    top = logs.max(axis=0)
    return logs - top - np.log(np.exp(logs - top).sum(axis=0))


def margins(original, release, known, error):
    """By how much the true row of each record is ahead of the best other; below 0: it is not."""
    scores = log_odds(original, release, known, error)
    true = np.argsort(release.row_map)
    own = scores[np.arange(len(true)), true]
    scores[np.arange(len(true)), true] = -np.inf
    return own - scores.max(axis=1)


def _likelihood(channel, place, before, after):
    if isinstance(channel, Transition):
        listed = channel.categories
        return channel.matrix[listed.index(before), listed.index(after)]
    assert isinstance(channel, Noise)
    deviation = channel.covariance[place, place] ** 0.5
    gap = (after - channel.times[place] * before - channel.mean[place]) / deviation
    return np.exp(-0.5 * gap**2) / deviation
