"""The reference of the command line: each command with its help, arguments and options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from discreet.cli.app import app
from tools.docs_site.markdown import code, table


def commands() -> Iterator[tuple[str, Any]]:
    """Yield each command that is not hidden, by its words."""
    yield from _below("discreet", typer.main.get_command(app))


def _below(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield words, command
    for name, it in getattr(command, "commands", {}).items():
        if not it.hidden:
            yield from _below(f"{words} {name}", it)


def commands_page() -> str:
    """Return the page."""
    parts = ["# Commands\n\nWhat `--help` says of each command.\n"]
    for words, command in commands():
        parts += [f"({anchor(words)})=\n## `{words}`\n", _help(command.help or "")]
        asked = [it for it in command.params if not getattr(it, "hidden", False)]
        arguments = [it for it in asked if it.param_type_name == "argument"]
        options = [it for it in asked if it.param_type_name == "option"]
        parts.append(
            table(("argument", ""), ((code(it.name.upper()), it.help or "") for it in arguments))
        )
        head = ("option", "", "by default")
        parts.append(table(head, ((_words(it), it.help or "", _default(it)) for it in options)))
    return "\n".join(parts)


def anchor(words: str) -> str:
    """Return the anchor of a command."""
    return f"command-{words.replace(' ', '-')}"


def _help(text: str) -> str:
    """Return a help text, with its lines of examples as code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.replace("\b", "").strip()):
        example = paragraph.lstrip().startswith("discreet ")
        parts.append(f"```sh\n{paragraph}\n```\n" if example else f"{paragraph}\n")
    return "\n".join(parts)


def _words(option: Any) -> str:
    return ", ".join(map(code, (*option.opts, *option.secondary_opts)))


def _default(option: Any) -> str:
    value = option.default
    if value is None or callable(value) or value in ((), [], ""):
        return ""
    return ("yes" if value else "no") if isinstance(value, bool) else code(str(value))
