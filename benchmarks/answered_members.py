"""Who is in the data, by the copy and all answers of a version together: simulated.

The attacker knows all other people, and learns from copies with and without a person what tells
them apart (the attack of `protect --attacks`). The answers of a used-up version are 20 counts that
all have the person, with k = 5. Their noise is drawn apart from the copy's, so for each copy the
answers are drawn as the version would draw them, with the person and without. What both say is
put together by a rule that is learned from other pairs. Prints the AUC of the copy, of the
answers, and of both, by kind of person:
python -m benchmarks.answered_members [PAIRS]
"""

from __future__ import annotations

import sys

import numpy as np

from discreet.arguments import Floats
from discreet.measure import attacks
from discreet.measure.attacks_by_copies import (
    FOLDS,
    WHO,
    cross_validated,
    figures_of_copies,
    people_at_places,
    people_in_small_levels,
)
from discreet.measure.pairs import Side
from discreet.methods import CellKey
from discreet.policy import load_policy
from tests.answers.conftest import cohort

PEOPLE, PAIRS, DRAWS = 1000, 100, 40
NUMBERS = ("age", "bmi", "time")
LEVELS = ("sex", "smoker", "region", "died")


def records() -> attacks.Records:
    """Return simulated people as attacks have them."""
    table = cohort(PEOPLE).to_pydict()
    numbers = {name: np.asarray(table[name], dtype=np.float64) for name in NUMBERS}
    return attacks.Records.of(Side.of(numbers, {name: table[name] for name in LEVELS}))


def evidence(noise: CellKey, numbers: int, pairs: int, random: np.random.Generator) -> Floats:
    """Return how much likelier numbers are with a person than without, where both are true.

    Of shape (2, pairs): first those of data without the person.
    """
    steps = np.arange(-noise.largest, noise.largest + 1)
    logs = np.log(np.maximum(noise.probabilities, 1e-30))

    def log_of(off: Floats) -> Floats:
        inside = np.abs(off) <= noise.largest
        at = np.clip(off + noise.largest, 0, len(steps) - 1).astype(np.intp)
        return np.where(inside, logs[at], -99.0)

    drawn = random.choice(steps, size=(2, pairs, numbers), p=noise.probabilities)
    drawn[1] += 1  # of the count without the person
    found: Floats = (log_of(drawn - 1) - log_of(drawn)).sum(axis=2)
    return found


def auc(outside: Floats, inside: Floats) -> float:
    """Return how often the second of two scores is the larger one."""
    a, b = inside[:, None], outside[None, :]
    return float(((a > b) + 0.5 * (a == b)).mean())


def main(pairs: int) -> None:
    """Print the table."""
    policy, random, some = load_policy("standard"), np.random.default_rng(1), records()
    noise = CellKey(policy.noise_of_answers)
    make = attacks.whole_maker(policy.k)
    print(f"{PEOPLE:,} people, {pairs} pairs, {policy.numbers_of_answers} numbers, sd {noise.sd}")
    print(f"{'':45} {'copy':>6} {'answers':>8} {'both':>6}")
    for who in ("typical", "marginal", "joint", "level"):
        if who == "level":
            places = people_in_small_levels(some, policy.k)
        else:
            places = people_at_places(some, who)
        rows = []
        for place in places:
            seen = figures_of_copies(place, make, pairs, f"{who} {place.name}")
            copy = cross_validated(*seen, folds=FOLDS)
            for _ in range(DRAWS):
                more = evidence(noise, policy.numbers_of_answers, pairs, random)
                without, beside = (np.column_stack([copy[i], more[i]]) for i in (0, 1))
                both = cross_validated(without, beside, folds=FOLDS)
                rows.append((auc(*copy), auc(*more), auc(*both)))
        alone, answers, joint = np.mean(rows, axis=0)
        print(f"{WHO[who]:45} {alone:6.3f} {answers:8.3f} {joint:6.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else PAIRS)
