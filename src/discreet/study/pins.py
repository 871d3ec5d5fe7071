"""What must be the same whenever columns leave again as axes of parallel coordinates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from discreet.errors import one_of
from discreet.leaving import COUNT_METHOD_OF, DIVERSITY_OF, ONE_ORDER, PAIR_OF, PAIRS
from discreet.policy import Policy

__all__ = ["LEAST_DIVERSITY", "Pairs", "diversity_of", "diversity_pins", "method_pins", "pair_pins"]

LEAST_DIVERSITY = 2

Pairs = Sequence[Sequence[str]]


def diversity_of(policy: Policy) -> int:
    """Return how many values of a sensitive column a cluster holds where nobody says."""
    return max(policy.diversity, LEAST_DIVERSITY)


def method_pins(pairs: Pairs, method: str) -> dict[str, str]:
    """Pin the count method of pairs of columns."""
    return {f"{COUNT_METHOD_OF}{one_of(sorted(pair))}": method for pair in pairs}


def pair_pins(pairs: Pairs, declared: Pairs) -> dict[str, str]:
    """Pin pairs of neighbours, and which may be: those of a policy, or those of one order."""
    allowed = json.dumps(sorted(sorted(pair) for pair in declared)) if declared else ONE_ORDER
    drawn = {f"{PAIR_OF}{one_of(sorted(pair))}": json.dumps(sorted(pair)) for pair in pairs}
    return {PAIRS: allowed} | drawn


def diversity_pins(columns: Mapping[str, bool], diversity: int) -> dict[str, str]:
    """Pin how many of its values a cluster beside each column holds: 1 if it is not sensitive."""
    return {
        f"{DIVERSITY_OF}{name!r}": str(diversity if sensitive else 1)
        for name, sensitive in columns.items()
    }
