"""A folder of outputs: what was released, what a check found of it, and what was decided."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from discreet.errors import InputError, near, one_of, path_in_words
from discreet.explore.file_checks import rules_in_words
from discreet.explore.notes import FIGURES, REPORT
from discreet.outputs.page import CHANGED, Standing, is_ours, page_text, results_text, standing_of
from discreet.places import is_there
from discreet.policy import Policy
from discreet.provenance import checksum_of_file
from discreet.records.outputs import InForce, hand_in, list_outputs, review
from discreet.records.store import Store
from discreet.unfinished import being_released

RESULTS, CONFIG, PAGE, CHECKSUMS = "results.json", "config.json", "index.html", "checksums"
OWN = (RESULTS, CONFIG, PAGE, CHECKSUMS)
SUM = re.compile(rb"[0-9a-f]{64}")
DERIVED = "derived"
"""Of a request: new columns, each with its expression, and conditions, which have no name."""
PLAIN = re.compile(r"[\w.-]+")
"""Words that are not quoted in a call."""
WHAT = ("plot", "columns", "table", FIGURES, REPORT)
"""Of a request: what was drawn or released, and of what."""


@dataclass(frozen=True)
class Finding:
    """What a check of a file found, in the words of its record.

    The status is "pass" where every rule of a guarded policy was kept, else "review": a checker has
    to look. `kind` is what is drawn or released ("histogram", "table"), and `type` what file it is
    ("plot", "table", "report"). `command` is what was asked for, and `says` what was checked. The
    finding holds of nothing else than what has the `digest`, SHA-256. Of what a server answered,
    `view` is the id, and `callers` are those who took it, as the register names them.
    """

    status: str
    kind: str
    type: str
    columns: tuple[str, ...]
    method: str
    command: str
    digest: str
    says: tuple[str, ...] = ()
    view: str = ""
    callers: tuple[str, ...] = ()

    @property
    def record(self) -> dict[str, Any]:
        """What the register keeps of it, beside its digest."""
        return {name: it for name, it in asdict(self).items() if name != "digest"}


Check = Callable[[Path], Finding | None]
"""Says what a file is; None of one that the study did not release, or that was changed since."""


@dataclass(frozen=True)
class Folder:
    """A folder of outputs of one study, which is made when something is collected.

    The register's file, `store`, has all that is said and decided. `in_force` are the policy in
    force and the study's latest version.
    """

    path: Path
    store: Store
    study: str
    in_force: InForce

    def collect(self, files: Iterable[Path], check: Check) -> tuple[Path, ...]:
        """Take up what the study released of some files, and what stands in the folder already.

        Returned are the files that are left out: the study did not release them as they are. If
        the folder holds something else, or two files have one name, nothing is copied.
        """
        inside = self._inside()
        outside = [it for it in dict.fromkeys(files) if it.resolve().parent != self.path.resolve()]
        findings = {it: check(it) for it in (*inside, *outside)}
        self._check_inside(inside, [it for it in inside if findings[it] is not None])
        chosen = [it for it in outside if findings[it] is not None]
        _check_names(chosen)
        self.path.mkdir(parents=True, exist_ok=True)
        for file in (*inside, *chosen):
            finding, target = findings[file], self.path / file.name
            if finding is None:
                continue
            if file in chosen:
                _copy(file, target, finding.digest)
            digest = finding.digest
            hand_in(self.store, self.study, self.in_force, target, digest, finding.record)
        return tuple(it for it in outside if findings[it] is None)

    def standing(self) -> tuple[Standing, ...]:
        """Return how each output in it stands, by name."""
        outputs = list_outputs(self.store, self.study)
        return standing_of(self._inside(), outputs, self.in_force)

    def review(self, what: str, text: str, names: Sequence[str] = ()) -> tuple[Standing, ...]:
        """Record a comment, or a decision, on the outputs of some names or on all in the folder.

        Of a file that was changed since it was handed in nothing is recorded; nor where the folder
        holds what was not handed in, for it would go out with the rest.
        """
        self._check_inside(self._inside())
        standing = {it.output.name: it for it in self.standing()}
        for name in names:
            if name not in standing:
                raise InputError(f"the folder has no output {name!r}; {near(name, [*standing])}")
        chosen = [standing[name] for name in names or standing]
        changed = [it.output.name for it in chosen if it.state == CHANGED]
        if changed:
            raise InputError(
                f"changed since they were handed in: {one_of(changed)}; put back what was "
                "handed in, or collect it again"
            )
        if not chosen:
            raise InputError("the folder has no outputs yet; collect some first")
        for each in chosen:
            review(self.store, self.study, each.output.id, what, text, self.in_force)
        return self.standing()

    def write(self, config: Mapping[str, Any], rest: Sequence[str]) -> None:
        """Write its record, its page and its checksums.

        `config` are the rules in force; `rest` says what was released and is not in the folder.
        """
        standing = self.standing()
        outputs = [it.output for it in standing]
        texts = {
            RESULTS: results_text(standing, self.in_force),
            CONFIG: json.dumps(config, indent=4),
            PAGE: page_text(self.study, self.path, standing, self.in_force, rest),
        }
        for name, text in texts.items():
            _write(self.path / name, text)
        # Of an output as it was handed in, so that whoever compares sees that it was changed.
        sums = {name: checksum_of_file(self.path / name) for name in texts}
        sums |= {it.name: it.digest for it in outputs}
        (self.path / CHECKSUMS).mkdir(exist_ok=True)
        for name, digest in sums.items():
            _write(self.path / CHECKSUMS / f"{name}.txt", digest)

    def _inside(self) -> list[Path]:
        """Return what is in the folder beside its record, by name; refuse another's record."""
        try:
            if not is_there(self.path):
                return []
        except OSError as error:
            why = type(error).__name__
            raise InputError(
                f"{path_in_words(self.path)} cannot be read ({why}); name a folder that can be"
            ) from None
        if not self.path.is_dir():
            raise InputError(f"{path_in_words(self.path)} is a file; name a folder")
        results = self.path / RESULTS
        there = [name for name in OWN if (self.path / name).exists()]
        if there and not (results.is_file() and is_ours(results.read_text("utf-8", "replace"))):
            raise InputError(
                f"{path_in_words(self.path)} holds {one_of(there)} that discreet did not write;"
                " name another folder"
            )
        return [it for it in sorted(self.path.iterdir()) if it.name not in OWN]

    def _check_inside(self, inside: Sequence[Path], released: Collection[Path] = ()) -> None:
        """Refuse what is inside and was neither released nor handed in, and what nobody sees."""
        known = {it.name for it in list_outputs(self.store, self.study)}
        sums = self.path / CHECKSUMS
        strange = [it.name for it in inside if it not in released and it.name not in known]
        strange += [it.name for it in (*inside, sums) if it.is_symlink()]
        strange += [f"{CHECKSUMS}/{it.name}" for it in self._no_checksums()]
        if strange:
            raise InputError(
                f"{path_in_words(self.path)} holds what this study did not release:"
                f" {one_of(strange)}; take it out, or name another folder"
            )

    def _no_checksums(self) -> list[Path]:
        """Return what stands among the checksums and is none."""
        folder = self.path / CHECKSUMS
        return [it for it in sorted(folder.iterdir()) if not _is_sum(it)] if folder.is_dir() else []


def _check_names(files: Sequence[Path]) -> None:
    """Refuse files that cannot stand in one folder together."""
    names = [it.name for it in files]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"several files are called {one_of(twice)}; give them different names")
    own = sorted({*names} & {*OWN})
    if own:
        raise InputError(f"the folder writes {one_of(own)} itself; give the file another name")


def _is_sum(path: Path) -> bool:
    """Tell whether a file holds a digest and nothing else."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size != 64:
        return False
    return SUM.fullmatch(path.read_bytes()) is not None


def _copy(file: Path, target: Path, digest: str) -> None:
    """Copy a file, and refuse one that is another than was checked."""
    with being_released(target) as part:
        shutil.copyfile(file, part)
        if checksum_of_file(part) != digest:
            raise InputError(
                f"{path_in_words(file)} was changed while it was being copied; try again"
            )


def _write(path: Path, text: str) -> None:
    with being_released(path) as part:
        part.write_text(text, encoding="utf-8")


# --- what is said of an output ------------------------------------------------------------------


def command_of(request: Mapping[str, Any]) -> str:
    """Return what was asked for as a call.

    Examples
    --------
    >>> command_of({"plot": "histogram", "columns": ["bmi"], "by": "sex", "bins": 20})
    'histogram(bmi, by=sex, bins=20)'
    >>> command_of({"plot": "box", "columns": ["bmi"], "derived": [["", "age >= 50"]]})
    "box(bmi, where='age >= 50')"
    >>> command_of({"plot": "box", "columns": ["a b"], "derived": [["a b", "age * 2"]]})
    "box('a b', assign={'a b': 'age * 2'})"
    """
    rest = {name: it for name, it in request.items() if name not in (*WHAT, DERIVED)}
    given = [*map(_word, request.get("columns", ()))]
    given += [f"{name}={_word(it)}" for name, it in rest.items()]
    for name, text in request.get(DERIVED, ()):
        given.append(f"assign={{{name!r}: {text!r}}}" if name else f"where={text!r}")
    return f"{request['plot']}({', '.join(given)})"


def _word(value: object) -> str:
    """Return a value as it stands in a call; what could pass for more of the call is quoted."""
    return value if isinstance(value, str) and PLAIN.fullmatch(value) else repr(value)


def judged(
    source: str, settings: Mapping[str, Any], policy: Policy, *, same: bool, rings: bool = False
) -> tuple[str, tuple[str, ...]]:
    """Return whether numbers pass or need a look, and by which rules they were made.

    `source` is the one of their provenance, and `settings` are those of the version that they were
    released in. `same` says whether that version is in force, under `policy`, and `rings` whether
    an attack on its copy found more than it may.
    """
    passed = policy.fixed and not policy.public and same and not rings
    public = ("the data are declared public",) if policy.public else ()
    other = () if same else ("made under a different policy from the current one",)
    attacked = ("an attack on the copy exceeds its bound: read its report",)
    says = (*rules_in_words(source, settings), *public, *other, *(attacked if rings else ()))
    return "pass" if passed else "review", says
