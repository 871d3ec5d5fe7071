"""Commands: an option is a parameter, whose words stand in a docstring as numpydoc has them.

It is the command's own docstring, or that of the public function that it calls. The source of that
is read and not imported, so that `--help` is quick.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from typing import Annotated, Any, get_type_hints

from typer import Argument, Option

POLICY = ("policy.policy:Policy", "policy.paper_settings:PaperSettings")
"""Whose fields say what they mean."""
SHARED = {
    "policy": "A preset (standard, datashield, sacro, opensafely) or a .toml file.",
    "study": "The study's name; by default the policy's, or the file's name.",
    "state": "The folder of a server's record; by default in the user's state.",
    "unit": "The column that identifies the person of each row.",
    "no_unit": "Each row is a different person, whatever it looks like.",
    "kinds": "Kinds of columns: ward=categorical for codes that are levels, sex=continuous.",
    "dates": "How dates in text are written: visit=%d/%m/%Y.",
    "strata": "Categorical columns within whose levels rows are protected: a,b. In this and"
    " every list a name with a comma in it stands in double quotes: '\"weight, kg\",age'.",
    "method": "How values are protected; see `discreet methods`.",
    "per_column": "Round each column by itself, as the paper does: for public or simulated data.",
    "representative": "Per column: mean, median or midpoint.",
}
"""What several commands take."""
LETTERS = {
    **{"k": "-k", "m": "-m", "q": "-q", "c": "-c"},
    **{"diversity": "-l", "closeness": "-t", "output": "-o"},
}
REQUIRED = object()
"""The default of an option that has to be given: of a parameter by keyword alone."""
SECTION = "Parameters\n----------\n"
LIST = "Sequence[str]"
SENTENCE = re.compile(r".*?[.](?=\s+[A-Z]|$)")


def command(*functions: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take the fields of its option objects as options of its own.

    `functions` are those that it calls, as "explore.study:Study.summary": what its own docstring
    does not say of an option, theirs do.
    """

    def made(function: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(function, include_extras=True)
        objects: dict[str, Any] = {
            name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)
        }
        shown: dict[str, inspect.Parameter] = {}
        for name, parameter in inspect.signature(function).parameters.items():
            if name in objects:
                shown |= _object_options(objects[name])
            else:
                kind, default = hints[name], parameter.default
                if parameter.kind is parameter.KEYWORD_ONLY and default is parameter.empty:
                    default = REQUIRED
                shown[name] = _parameter(name, kind, default, function.__doc__, functions)

        @functools.wraps(function)
        def call(**given: Any) -> None:
            for name, kind in objects.items():
                own = {it.name: given.pop(it.name) for it in dataclasses.fields(kind)}
                given[name] = kind(**own)
            function(**given)

        call.__doc__ = inspect.cleandoc(function.__doc__ or "").partition(SECTION)[0]
        call.__signature__ = inspect.Signature([*shown.values()])  # type: ignore[attr-defined]
        call.__annotations__ = {name: it.annotation for name, it in shown.items()}
        return call

    return made


def documented_by(*functions: str) -> Callable[[type], type]:
    """Say whose docstrings have the words of the options of an object, beside its own."""

    def made(kind: Any) -> type:
        kind.functions = functions
        return kind  # type: ignore[no-any-return]

    return made


def given(options: Any) -> set[str]:
    """Return the names of the options of an object that were given."""
    fields = dataclasses.fields(options)
    return {it.name for it in fields if getattr(options, it.name) not in (it.default, [])}


def _object_options(kind: Any) -> dict[str, inspect.Parameter]:
    hints, functions = get_type_hints(kind, include_extras=True), getattr(kind, "functions", ())
    return {
        it.name: _parameter(it.name, hints[it.name], it.default, kind.__doc__, functions)
        for it in dataclasses.fields(kind)
    }


def _parameter(
    name: str, kind: Any, default: Any, own: str | None, functions: tuple[str, ...]
) -> inspect.Parameter:
    """Return an option, or an argument where there is no default; its help may be its own."""
    if not hasattr(kind, "__metadata__"):
        words = help_of(name, own or "", functions)
        if "list[" in str(kind) and default is None:
            words = f"{words} Repeatable."
        option = f"--{name.replace('_', '-')}"
        if default is True:
            option = f"{option}/--no-{name.replace('_', '-')}"
        if default in (inspect.Parameter.empty, dataclasses.MISSING):
            kind = Annotated[kind, Argument(help=words)]
        else:
            declared = filter(None, (LETTERS.get(name), option))
            kind = Annotated[kind, Option(*declared, help=words)]
    default = inspect.Parameter.empty if default is REQUIRED else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def help_of(name: str, own: str, functions: tuple[str, ...]) -> str:
    """Return what is said of a parameter: by a docstring, else by the first function that has it.

    Examples
    --------
    >>> help_of("dpi", "", ("plots.view:View.save",))
    'Of a .png: pixels to the inch, from 50 to 1200; 200 by default.'
    """
    words = SHARED | dict(_docstring_words(inspect.cleandoc(own)))
    if name in words:
        return words[name]
    for function in (*functions, *POLICY):
        if name in _documented(function):
            return _documented(function)[name]
    raise LookupError(f"no docstring says what {name} is")


@functools.cache
def _documented(function: str) -> Mapping[str, str]:
    """Return of each parameter of a function, or field of a class, the first sentence."""
    module, _, names = function.partition(":")
    path = resources.files("discreet").joinpath(f"{module.replace('.', '/')}.py")
    body: list[ast.stmt] = ast.parse(path.read_text(encoding="utf-8")).body
    for name in names.split("."):
        node = next(it for it in body if getattr(it, "name", "") == name)
        body = getattr(node, "body", [])
    by_name = dict(_docstring_words(ast.get_docstring(node) or "")) | dict(_setting_words(body))  # type: ignore[arg-type]
    lists = {
        it.arg
        for it in ast.walk(node)
        if isinstance(it, ast.arg) and it.annotation and LIST in ast.unparse(it.annotation)
    }
    return {name: _sentence(words, name in lists) for name, words in by_name.items()}


def _docstring_words(text: str) -> Iterator[tuple[str, str]]:
    """Yield each parameter that a numpydoc text names, with what it says."""
    section = text.partition(SECTION)[2].partition("\n\n")[0]
    for entry in re.split(r"\n(?=\S)", section):
        head, _, words = entry.partition("\n")
        for name in head.partition(" : ")[0].split(", "):
            yield name, " ".join(words.split())


def _setting_words(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield each field of a policy, whose words are the third argument of `setting`."""
    for it in body:
        if isinstance(it, ast.AnnAssign) and isinstance(it.value, ast.Call):
            words = it.value.args[2] if len(it.value.args) > 2 else None
            if isinstance(words, ast.Constant):
                yield ast.unparse(it.target), str(words.value)


def _sentence(words: str, is_list: bool) -> str:
    """Return the first sentence; of a list with how it is written."""
    found = SENTENCE.match(words)
    sentence = words if found is None else found[0]
    return f"{sentence.removesuffix('.')}: a,b." if is_list else sentence
