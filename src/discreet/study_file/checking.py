"""What a file is, said in words: `discreet check`, and opening what one was given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import InputError, path_in_words
from discreet.study_file.manifest import Column, Manifest
from discreet.study_file.pins import Signer, remember_signer, state_folder
from discreet.study_file.reading import StudyFile, check_values_of, open_study_file

MOST_LISTED = 40
"""Of more columns than this the first are listed."""


@dataclass(frozen=True)
class Check:
    """What a study file is, once all of it was read and found as it was signed.

    Parameters
    ----------
    path : str
    study, version : str
    rows : int
        Rows of the copy.
    persons : int
        About how many persons there are.
    columns : tuple of Column
    k, m : int
        Persons behind each value, and in each leaf.
    answers : tuple of str
        The names of the answers from the data.
    content, values : str
        Digests of all that the study says, and of the values of its rows.
    discreet : str
        The version of discreet that wrote it.
    signer : Signer
        Who signed it, beside who signed the study before.
    """

    path: str
    study: str
    version: str
    rows: int
    persons: int
    columns: tuple[Column, ...]
    k: int
    m: int
    answers: tuple[str, ...]
    content: str
    values: str
    discreet: str
    signer: Signer

    @property
    def is_public(self) -> bool:
        """Whether the rows are those of a public table itself."""
        return self.m == 1

    @property
    def is_trusted(self) -> bool:
        """Whether no other key signed the study before."""
        return self.signer.state != "changed"

    def to_text(self) -> str:
        """Return it in words."""
        listed = ", ".join(map(_column_in_words, self.columns[:MOST_LISTED]))
        more = len(self.columns) - MOST_LISTED
        return "\n".join(
            (
                f"{self.path} is a study file of discreet. All of it is as it was signed.",
                f"study      {self.study}, version {self.version}",
                self._rows(),
                f"columns    {len(self.columns)}: {listed}{f', and {more} more' * (more > 0)}",
                self._protected(),
                f"answers    {', '.join(self.answers) or 'none'}, from the data",
                f"signed by  {self.signer.to_text()}",
                f"content    {self.content}",
                f"written    by discreet {self.discreet}",
            )
        )

    def _rows(self) -> str:
        if self.is_public:
            return f"rows       {self.rows}, PUBLIC: those of the table itself, as it was declared"
        return f"rows       {self.rows}, of a protected copy; persons: about {self.persons}"

    def _protected(self) -> str:
        if self.is_public:
            return "protected  not at all"
        return (
            f"protected  k = {self.k}, m = {self.m}: values rest on at least k persons, and are"
            " drawn from at least m who are alike"
        )

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        signer = self.signer
        return {
            **{name: getattr(self, name) for name in PLAIN},
            "answers": list(self.answers),
            "columns": [it.to_plain() for it in self.columns],
            "fingerprint": signer.fingerprint,
            "fingerprint_before": signer.before or None,
            "key": signer.state,
        }

    def __str__(self) -> str:
        return self.to_text()


PLAIN = (
    *("path", "study", "version", "rows", "persons", "k", "m"),
    *("content", "values", "discreet", "is_trusted", "is_public"),
)
"""What is told in JSON as it is."""


def _column_in_words(column: Column) -> str:
    """Return the name of a column, and what it holds."""
    if column.kind == "categorical":
        return f"{column.name} ({len(column.levels)} levels)"
    if column.kind == "date":
        return f"{column.name} (dates)"
    return f"{column.name} ({column.unit})" if column.unit else column.name


def check(path: str | Path, *, trust: str | None = None, state: str | Path | None = None) -> Check:
    """Read all of a study file, and say what it is and who signed it.

    Parameters
    ----------
    path : str or Path
    trust : str, optional
        The fingerprint of a key that is taken though another signed the study before.
    state : str or Path, optional
        Where the keys that were seen are remembered; by default DISCREET_STATE, or the user's
        state folder.

    Returns
    -------
    Check
        Prints as text. `is_trusted` is False where another key signed the study before.

    Raises
    ------
    InputError
        The file cannot be read, is not a study file, was changed, or was made to do harm.

    Examples
    --------
    >>> import discreet as dc
    >>> print(dc.check("cohort.discreet"))  # doctest: +SKIP
    cohort.discreet is a study file of discreet. All of it is as it was signed.
    study      cohort, version 1
    ...
    """
    with open_study_file(path) as file:
        check_values_of(file)
        manifest, answers = file.manifest, file.answers
    return _check_of(Path(path), manifest, answers, _signer(manifest, state, trust))


def open_signed(path: str | Path, *, state: str | Path | None = None) -> StudyFile:
    """Open a study file, unless another key signed the study before.

    Parameters
    ----------
    path : str or Path
    state : str or Path, optional
        As for `check`.

    Raises
    ------
    InputError
        Another key signed the study before, or the file is refused by `open_study_file`.
    """
    file = open_study_file(path)
    try:
        signer = _signer(file.manifest, state, None)
        if signer.state == "changed":
            raise InputError(
                f"the file {path_in_words(path)} was signed by {signer.to_text()}".replace(
                    "check it with", "run discreet check with"
                )
            )
    except BaseException:
        file.close()
        raise
    return file


def _signer(manifest: Manifest, state: str | Path | None, trust: str | None) -> Signer:
    return remember_signer(manifest, state_folder() if state is None else Path(state), trust)


def _check_of(path: Path, manifest: Manifest, answers: tuple[str, ...], signer: Signer) -> Check:
    """Return what is said of a manifest."""
    return Check(
        path=str(path),
        study=manifest.study,
        version=manifest.version,
        rows=manifest.rows,
        persons=manifest.persons,
        columns=manifest.columns,
        k=manifest.k,
        m=manifest.m,
        answers=answers,
        content=manifest.content,
        values=manifest.values,
        discreet=manifest.discreet,
        signer=signer,
    )
