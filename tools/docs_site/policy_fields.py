"""The reference of the policy file: what each field means, may hold, and is in the presets."""

from __future__ import annotations

import dataclasses
import json
from importlib import resources

from numpydoc.docscrape import ClassDoc

from discreet import Policy
from discreet.policy import PRESETS
from discreet.policy.policy import RULES, plain
from tools.docs_site.markdown import code, table

#: Where a policy lies, and no part of what a file says.
NOT_IN_FILES = {"folder", "file"}


def policy_fields() -> list[str]:
    """Return the fields of a policy file."""
    return [it.name for it in dataclasses.fields(Policy) if it.name not in NOT_IN_FILES]


def policy_page() -> str:
    """Return the page."""
    meant = _meant()
    parts = [
        "# Fields of the policy file\n\nWhat each field means and may hold, and what it is in the "
        "presets that come with discreet. [The policy](../policy.md) shows how they are used.\n"
    ]
    for name in policy_fields():
        parts += [
            f"({anchor(name)})=\n## `{name}`\n",
            f"{meant[name]}\n",
            f"Allowed: {RULES[name][1]}.\n",
        ]
        values = {preset: _value(Policy.preset(preset), name) for preset in PRESETS}
        if len(set(values.values())) == 1:
            parts.append(f"In every preset: {next(iter(values.values()))}.\n")
        else:
            parts.append(table(("preset", "value"), values.items()))
    parts.append("## The presets, as files\n")
    for preset in PRESETS:
        text = resources.files("discreet.presets").joinpath(f"{preset}.toml").read_text("utf-8")
        parts.append(f"### {preset}\n\n```toml\n{text.rstrip()}\n```\n")
    return "\n".join(parts)


def anchor(name: str) -> str:
    """Return the anchor of a field."""
    return f"policy-{name.replace('_', '-')}"


def _meant() -> dict[str, str]:
    """Return what the docstring says of each field; some are described together."""
    listed = ClassDoc(Policy)["Parameters"]
    return {
        name.strip(): f"`{it.type}`. {' '.join(it.desc)}" if it.type else " ".join(it.desc)
        for it in listed
        for name in it.name.split(",")
    }


def _value(policy: Policy, name: str) -> str:
    value = plain(getattr(policy, name))
    return "not said" if value is None or value in ([], {}) else code(json.dumps(value))
