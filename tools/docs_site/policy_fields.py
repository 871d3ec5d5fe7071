"""The reference of the policy file: what each field means, may hold, and is in the presets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import resources

from discreet import Policy
from discreet.policy import FIELDS, PAPER_FIELDS, PRESETS
from discreet.policy.fields import Field, plain
from tools.docs_site.markdown import code, table

HEADS = ("field", "what it says", "allowed values", "default", "option", "changes")


def all_fields() -> Mapping[str, Field]:
    """Return the fields of a policy file, those of the papers' settings with their table's name."""
    return {**FIELDS, **{f"papers.{name}": it for name, it in PAPER_FIELDS.items()}}


def fields_table() -> str:
    """Return the table of all fields, as docs/policy.md has it."""
    rows = [
        (
            code(name),
            field.says,
            field.rule.allowed,
            _said(field.default),
            "" if field.option is None else code(field.option),
            field.changes,
        )
        for name, field in all_fields().items()
    ]
    return table(HEADS, rows)


def policy_page() -> str:
    """Return the page."""
    return "\n".join(_parts())


def _parts() -> Iterator[str]:
    yield (
        "# Fields of the policy file\n\nWhat each field means, its allowed values, and its value "
        "in the presets that come with discreet. [The policy](../policy.md) shows how they are "
        "used.\n"
    )
    for name, field in all_fields().items():
        yield f"({anchor(name)})=\n## `{name}`\n"
        yield f"`{field.rule.type}`. {field.says}\n"
        yield f"Allowed: {field.rule.allowed}.\n"
        values = {preset: _value(Policy.preset(preset), name) for preset in PRESETS}
        if len(set(values.values())) == 1:
            yield f"In every preset: {next(iter(values.values()))}.\n"
        else:
            yield table(("preset", "value"), values.items())
    yield "## The presets, as files\n"
    for preset in PRESETS:
        text = resources.files("discreet.presets").joinpath(f"{preset}.toml").read_text("utf-8")
        yield f"### {preset}\n\n```toml\n{text.rstrip()}\n```\n"


def anchor(name: str) -> str:
    """Return the anchor of a field."""
    return f"policy-{name.replace('_', '-').replace('.', '-')}"


def _value(policy: Policy, name: str) -> str:
    room, _, own = name.rpartition(".")
    of = policy.papers if room else policy
    if name == "papers":
        return _said(None if of is None or policy.papers is None else "set")
    return _said(None if of is None else getattr(of, own))


def _said(value: object) -> str:
    found = plain(value)
    return "none" if found is None or found in ([], {}) else code(json.dumps(found))
