"""Two kinds of rows told apart by many figures: several linear rules, which vote together.

There are often more figures than rows, so that each rule is held back: ridges, and a covariance
that is shrunk. What they say together is more often right than what one of them says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arguments import Floats, Labels

PENALTIES = (10.0, 100.0, 1000.0)
STEPS = 12
FARTHEST = 6.0
"""A figure counts as if it were at most so many standard deviations off."""
TINY = 1e-9


class Standard(NamedTuple):
    """How figures are compared: those that vary, in standard deviations of rows learned from."""

    kept: Labels
    mean: Floats
    sd: Floats

    def of(self, rows: Floats) -> Floats:
        """Return the figures that vary, in standard deviations."""
        z: Floats = (rows[:, self.kept] - self.mean) / self.sd
        return np.clip(z, -FARTHEST, FARTHEST)


def standard(rows: Floats) -> Standard:
    """Return how the figures of some rows, and of others beside them, are compared."""
    mean, sd = rows.mean(axis=0), rows.std(axis=0)
    kept = np.flatnonzero(sd > TINY * np.maximum(np.abs(mean), TINY))
    return Standard(kept, mean[kept], sd[kept])


class Rule(NamedTuple):
    """A linear rule: the higher the score, the more a row is of the second kind."""

    of: Standard
    weights: Floats
    offset: float

    def __call__(self, rows: Floats) -> Floats:
        """Return the score of each row."""
        scores: Floats = self.of.of(rows) @ self.weights - self.offset
        return scores


def learned(rows: Floats, kinds: Floats) -> Rule:
    """Learn to tell rows of kind 0 from as many of kind 1.

    The rule is the mean of logistic regressions with three ridges and of a discriminant with a
    shrunk covariance, each in standard deviations of its own scores.
    """
    of = standard(rows)
    z = of.of(rows)
    if not z.shape[1]:
        return Rule(of, np.zeros(0), 0.0)
    # All of these rules lie in the space that the rows span, which is the smaller one.
    _, sizes, axes = np.linalg.svd(z, full_matrices=False)
    axes = axes[sizes > TINY * sizes[0]]
    inner = z @ axes.T
    rules = [ridge_logistic(inner, kinds, penalty) for penalty in PENALTIES]
    rules.append(discriminant(inner, kinds, figures=z.shape[1]))
    together, offset = np.zeros(len(axes)), 0.0
    for weights in rules:
        said = inner @ weights
        spread = float(said.std()) or 1.0
        together += weights / spread / len(rules)
        offset += float(said.mean()) / spread / len(rules)
    return Rule(of, together @ axes, offset)


def cross_validated(first: Floats, second: Floats, folds: int) -> tuple[Floats, Floats]:
    """Return scores of pairs of rows: each pair is scored by what was learned from other pairs."""
    out = np.zeros(len(first)), np.zeros(len(first))
    fold = np.arange(len(first)) % folds
    for turn in range(folds):
        use = fold != turn
        kinds = np.repeat([0.0, 1.0], int(use.sum()))
        rule = learned(np.vstack([first[use], second[use]]), kinds)
        for place, rows in enumerate((first, second)):
            out[place][~use] = rule(rows[~use])
    return out


def ridge_logistic(x: Floats, y: Floats, penalty: float) -> Floats:
    """Return the slopes of a logistic regression with a ridge, by Newton's method.

    `x` is centred, `y` 0 or 1, as many of each; half the `penalty` times the squared length of the
    slopes is added to the loss.
    """
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - chance) - penalty * weights
        bend = (x * (chance * (1 - chance))[:, None]).T @ x + penalty * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max(initial=0.0) < 1e-8:
            break
    return weights


def discriminant(x: Floats, y: Floats, figures: int | None = None) -> Floats:
    """Return the direction of Fisher's linear discriminant, with a covariance shrunk to a ball.

    How far it is shrunk is what Ledoit and Wolf (2004) estimate. `y` is 0 or 1, and `figures` how
    many columns there are where `x` holds rows in the space that they span.
    """
    p, n = figures or x.shape[1], len(x)
    means = [x[y == kind].mean(axis=0) for kind in (0, 1)]
    rows = np.where((y == 1)[:, None], x - means[1], x - means[0])
    spread = rows.T @ rows / n
    size = float(np.trace(spread)) / p
    if size <= 0:
        return np.asarray(means[1] - means[0])
    squared = float(np.square(spread).sum())
    lengths = np.square(rows).sum(axis=1)
    noise = (float(np.square(lengths).sum()) / n - squared) / n
    apart = squared - p * size**2
    shrunk = min(1.0, max(0.0, noise / apart)) if apart > 0 else 1.0
    ball = (shrunk * size + TINY * size) * np.eye(x.shape[1])
    return np.asarray(np.linalg.solve((1 - shrunk) * spread + ball, means[1] - means[0]))
