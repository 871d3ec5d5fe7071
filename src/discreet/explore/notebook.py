"""What a notebook completes: names of columns within the quotation marks of a study's methods."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

OPEN = re.compile(r"""(['"])([^'"]*)$""")
CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\.\s*\w+")
EXPRESSIONS = ("where", "assign")
OF_LAST_CALL = re.compile(r"\.\s*(\w+)\s*\([^()]*$")
MARK = "offers_columns"

Named = Callable[[Any], Iterable[str] | None]


def names_to_complete(text: str, names: Mapping[str, Any], named: Named) -> tuple[str, list[str]]:
    """Return what is begun at the end of a text, and the names that it may become.

    Nothing of the text is run: a variable that it names is looked up in `names`, and `named`
    returns the columns of one that is a study, and None of any other.

    Examples
    --------
    >>> of = {"age": ["age", "bmi"]}.get
    >>> names_to_complete('s.scatter("age", "b', {"s": "age"}, of)
    ('b', ['bmi'])
    """
    line = text.rpartition("\n")[2]
    begun = OPEN.search(line)
    if begun is None or line.count(begun[1]) % 2 == 0:
        return "", []
    before = line[: begun.start()]
    columns = [it for name in CALLED.findall(before) if (it := named(names.get(name))) is not None]
    if not columns:
        return "", []
    part, called = begun[2], OF_LAST_CALL.search(before)
    if called is not None and called[1] in EXPRESSIONS:
        part = (re.search(r"\w*$", part) or [""])[0]
    return part, [name for name in columns[-1] if name.startswith(part)]


def offer_names(named: Named) -> None:
    """Let the notebook or shell of IPython that this runs in, if any, complete names of columns."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None:
        offer_in(shell, named)


def offer_in(shell: Any, named: Named) -> None:
    """Let a shell of IPython complete names of columns, once."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher()  # type: ignore[untyped-decorator]
    def columns(context: Any) -> dict[str, Any]:
        """Complete names of columns."""
        part, found = names_to_complete(context.text_until_cursor, shell.user_ns, named)
        return {
            "completions": [SimpleCompletion(it, type="column") for it in found],
            "matched_fragment": part,
            "suppress": bool(found),
        }

    setattr(columns, MARK, True)
    if not any(hasattr(it, MARK) for it in shell.Completer.custom_matchers):
        shell.Completer.custom_matchers.append(columns)
