"""What is said of fields elsewhere is what stands beside their rules."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from discreet.cli.app import app
from discreet.policy import FIELDS, PAPER_FIELDS, PaperSettings, Policy
from tools.docs_site.policy_fields import fields_table

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_on_policies_has_the_table_of_all_fields() -> None:
    """Write it anew with `tools.docs_site.policy_fields.fields_table()`."""
    page = (DOCS / "policy.md").read_text("utf-8")
    assert page.endswith(fields_table().rstrip("\n") + "\n")


def test_a_docstring_lists_all_fields() -> None:
    for kind, fields in ((Policy, FIELDS), (PaperSettings, PAPER_FIELDS)):
        text = kind.__doc__ or ""
        assert max(map(len, text.splitlines())) <= 100
        for name, field in fields.items():
            assert f"    {name} : {field.rule.type}, " in text
            assert " ".join(field.says.split()) in " ".join(text.split())


def options_of(command: Any) -> Iterator[str]:
    """Name the options of a command, and of those beneath it."""
    for parameter in command.params:
        yield from parameter.opts
    for each in getattr(command, "commands", {}).values():
        yield from options_of(each)


def test_every_option_of_a_field_is_one_of_the_command_line() -> None:
    known = {*options_of(typer.main.get_command(app))}
    named = {it.option for it in [*FIELDS.values(), *PAPER_FIELDS.values()] if it.option}
    assert named <= known
