"""The manual page, made of the help texts, for `man`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from discreet.errors import (
    BrokenPromiseError,
    DiscreetError,
    InputError,
    LeavingError,
    RefusedError,
)
from discreet.provenance import own_version

EXIT_CODES: Mapping[int, str] = MappingProxyType(
    {
        0: "All went well.",
        DiscreetError.exit_code: "`discreet doctor` found what keeps discreet from working.",
        InputError.exit_code: "The command, the file or the policy is wrong.",
        RefusedError.exit_code: "The policy does not allow it to be shown.",
        LeavingError.exit_code: "It may be viewed, but not released.",
        BrokenPromiseError.exit_code: "A bug in discreet, or a register that was changed.",
    }
)
ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "DISCREET_SECRET": "The custodian's secret, in hexadecimal digits, in place of a file.",
        "DISCREET_CONFIG": "The folder of a secret that is not beside a policy.",
        "DISCREET_STATE": "The folder of a register and copies that are not beside a policy, and of"
        " keys that signed studies.",
        "DISCREET_MEMORY": "How much memory DuckDB may use, such as 8GB.",
        "DISCREET_DEBUG": "1 shows unexpected errors in full, possibly with data.",
        "NUMBA_CACHE_DIR": "The folder in which compiled kernels are kept.",
    }
)
SIGNS = {"\\": r"\e", "-": r"\-", '"': r"\(dq", "^": r"\(ha", "~": r"\(ti"}


def manual(root: Any) -> str:
    """Return the manual page of the commands of a context of the command line, as roff."""
    lines = [
        f'.TH DISCREET 1 "" "discreet {own_version()}" "User Commands"',
        ".SH NAME",
        r"discreet \- draws sensitive data without giving anyone away",
        ".SH SYNOPSIS",
        ".B discreet",
        ".I COMMAND",
        r"[\fIOPTIONS\fR]",
        ".SH COMMANDS",
    ]
    # However it was called, as `python -m discreet` perhaps.
    for command in _commands(type(root)(root.command, info_name="discreet")):
        lines += _about(command)
    lines += [".SH EXIT STATUS", *_listed(EXIT_CODES)]
    lines += [".SH ENVIRONMENT", *_listed(ENVIRONMENT)]
    lines += [
        ".SH FILES",
        *_text("`discreet doctor` says where the secret, the register and compiled kernels lie."),
    ]
    return "\n".join(lines)


def _commands(context: Any) -> Iterator[Any]:
    """Find the contexts of all commands that do something, as they are written."""
    for name, command in getattr(context.command, "commands", {}).items():
        if command.hidden:
            continue
        within = type(context)(command, info_name=name, parent=context)
        if getattr(command, "commands", None):
            yield from _commands(within)
        else:
            yield within


def _about(context: Any) -> Iterator[str]:
    """Return the section of one command: how it is called, what it does, what it takes."""
    command = context.command
    yield f'.SS "{_plain(context.command_path)}"'
    yield from _text(command.get_usage(context).removeprefix("Usage: "))
    first, _, rest = textwrap.dedent(command.help or "").partition("\n")
    yield ".PP"
    yield from _text(first)
    for paragraph in filter(None, rest.strip("\n").split("\n\n")):
        yield ".PP"
        if any(line.strip().startswith("discreet ") for line in paragraph.splitlines()):
            yield from (".nf", *map(_plain, paragraph.splitlines()), ".fi")
        else:
            yield from _text(paragraph)
    records = (it.get_help_record(context) for it in command.get_params(context))
    yield from _listed(
        {names: words for names, words in filter(None, records) if names != "--help"}
    )


def _listed(entries: Mapping[Any, str]) -> Iterator[str]:
    for name, words in entries.items():
        yield ".TP"
        yield rf"\fB{_plain(str(name))}\fR"
        yield from _text(words)


def _text(words: str) -> Iterator[str]:
    """Return a paragraph in lines that one can read."""
    yield from map(_plain, textwrap.wrap(" ".join(words.split()), 100, break_on_hyphens=False))


def _plain(words: str) -> str:
    r"""Return words that roff takes for nothing else: a hyphen stays one, a dot begins no request.

    Examples
    --------
    >>> print(_plain("--by sex"), _plain(".toml"))
    \-\-by sex \&.toml
    """
    for sign, name in SIGNS.items():
        words = words.replace(sign, name)
    return rf"\&{words}" if words[:1] in {".", "'"} else words
