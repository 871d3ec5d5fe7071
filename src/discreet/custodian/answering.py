"""Answering a list of questions from the data, into the next revision of a study file."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.answers.book import Book
from discreet.answers.exposure import LEAST_OF_COPY, LEAST_OF_FAR_OUT, Exposure
from discreet.answers.models import NOT_ANSWERED
from discreet.answers.reconstruction import OfCounts, attack_counts
from discreet.answers.records import Records
from discreet.custodian.protect import Protected, session_of, study_of_session
from discreet.custodian.publishing import FORM, key_of_policy
from discreet.custodian.session import Session
from discreet.errors import DiscreetError, InputError, RefusedError, about
from discreet.explore.answered import Answer
from discreet.explore.from_file import FileSession, is_study_file
from discreet.explore.questions import Question, Questions
from discreet.policy import Policy, load_policy
from discreet.progress import advance
from discreet.provenance import canonical_text
from discreet.records.outputs import check_words
from discreet.register.rules import STUDY_FILE
from discreet.study_file import SUFFIX, draft_of, open_study_file, write_study_file
from discreet.unfinished import path_to_save
from discreet.vault.vault import raw_in_parts
from discreet.vault.whole_columns import choose_columns

ANSWERED = "answered"
PAID = (ANSWERED, NOT_ANSWERED)
"""What became of questions that cost numbers."""
NOT_THIS_FILE = (
    "the study file is not of these data under this policy: its copy is version {of}, and theirs"
    " {own}; name the file that was published of them, or publish them"
)
TELL_TOO_MUCH = (
    "nothing was recorded or written, for all answers of this version together tell too"
    " much:\n{says}\nThe answer to {id}, {question}, costs most: leave it off the list; if it was"
    " given before, ask the rest of the next version. This message says something of the data: keep"
    " it to yourself"
)

UNREADABLE = (
    *(TypeError, ValueError, ArithmeticError, LookupError, AttributeError),
    *(RecursionError, MemoryError),
)
"""What a question by other hands than discreet's may end in, beside a refusal."""
NO_QUESTION = "it asks for something that is not a figure of these columns"


@dataclass(frozen=True)
class Outcome:
    """What becomes of a question: "answered", or why it is refused; and what it costs."""

    question: Question
    says: str
    cost: int
    answer: Answer | None = None


@dataclass(frozen=True, repr=False)
class Answering:
    """What became of a list of questions, for the custodian.

    Attributes
    ----------
    outcomes : tuple of Outcome
        Of each question whether it is answered, and at which cost.
    left : int
        How many numbers about one person the version may still give.
    exposure : Exposure
        What the copy and all answers of the version together tell of who is in the data.
    counts : OfCounts, optional
        What all counts of the version tell on the data at hand, where that was attacked.
    path : Path or None
        The revision of the study file; None of a dry run.
    """

    outcomes: tuple[Outcome, ...]
    left: int
    exposure: Exposure
    counts: OfCounts | None = None
    path: Path | None = None

    def __repr__(self) -> str:
        lines = [
            f"  {it.question.id}  {it.cost:>3}  {it.says}: {it.question.says}"
            for it in self.outcomes
        ]
        done = sum(it.says == ANSWERED for it in self.outcomes)
        head = f"{done} of {len(self.outcomes)} questions answered; {self.left} numbers are left"
        where = "dry run: nothing was written" if self.path is None else f"written: {self.path}"
        attacked = [] if self.counts is None else [self.counts.says]
        return "\n".join([head, *lines, self.exposure.says, *attacked, where])

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON has it, without figures."""
        return {
            "left": self.left,
            "membership": dataclasses.asdict(self.exposure),
            "counts": None if self.counts is None else self.counts.to_plain(),
            "path": None if self.path is None else str(self.path),
            "questions": [
                {
                    "id": it.question.id,
                    "says": it.question.says,
                    "outcome": it.says,
                    "cost": it.cost,
                }
                for it in self.outcomes
            ],
        }


def answer(
    source: object,
    questions: Questions | str | Path,
    *,
    study: str | Path,
    to: str | Path | None = None,
    policy: str | Path | Policy = "standard",
    who: str = "",
    dry_run: bool = False,
    pairs: int = 0,
    **declared: Any,
) -> Answering:
    """Answer questions from the data, and write the next revision of a study file.

    The revision has the same copy, and the answers beside it.

    Parameters
    ----------
    source : path or frame
        The data, as for `discreet.protect`.
    questions : Questions, str or Path
        The list, or the file that `study.questions.save` wrote.
    study : str or Path
        The study file that was published of the data.
    to : str or Path, optional
        Where the revision is written; by default in place of `study`.
    policy : str, Path or Policy, default "standard"
        The policy that the data were published under.
    who : str, optional
        Who asked, for the register.
    dry_run : bool, default False
        Decide and compute everything, and neither record nor write anything.
    pairs : int, default 0
        Attack the copy by so many pairs of copies, with and without a person, and add the answers
        to what is found; 0 takes what the attack found on other tables. 100 take a minute or more.
        All counts of the version are attacked, too: by linear programs, and by differences.
    **declared
        As for `discreet.protect`: `k`, `unit`, `kinds`, ...

    Returns
    -------
    Answering
        Of each question whether it was answered, why not, and what it costs.

    Raises
    ------
    InputError
        If the study file is not of these data, this policy and this secret, or the questions are of
        another version.
    RefusedError
        If the attack on all counts, with `pairs`, finds more than it may.
    LeavingError
        If the version was answered by other numbers of the policy before, or by another process
        meanwhile.

    Notes
    -----
    Counts have cell-key noise (`discreet.methods.CellKey`): the same cell has the same in every
    answer of a version. Means, models and statements rest on noise of the same size
    (docs/ask.md). What is asked, who asked it and what became of it stands in the register before
    anything is written; it keeps no figure.

    **What it does not protect.** Answers and the copy together tell a little more about a person
    than the copy alone; docs/ask.md has how much, measured by attack.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import discreet as dc
    >>> data = dc.datasets.diabetes()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = dc.protect(data, study="diabetes").publish(Path(folder, "d.discreet"))
    ...     opened = dc.open(path)
    ...     opened.ask(opened.bars("sex"))
    ...     made = dc.answer(data, opened.questions, study=path)
    ...     len(dc.open(path).answers)
    1
    """
    listed = questions if isinstance(questions, Questions) else Questions.load(questions)
    asked_by = check_words(who)
    if not is_study_file(study):
        raise InputError(f"study= names the study file that was published: 'cohort{SUFFIX}'")
    path = Path(study)
    target = path_to_save(path if to is None else to, (SUFFIX,), "a study file")
    file = open_study_file(path)
    of = FileSession(file)  # the file is closed with the last reference to it
    chosen = load_policy(policy).changed(**{**declared, "study": file.manifest.study})
    session = session_of(source, chosen)
    key = _check_file(session, file.manifest, listed)
    copy = _membership(session, pairs) if pairs else (LEAST_OF_COPY, LEAST_OF_FAR_OUT)
    found = _decide(session, of, listed, asked_by, copy)
    if pairs:
        made = replace(found.made, counts=attack_counts(found.book, found.given))
        found = replace(found, made=made)
    if dry_run:
        return found.made
    _check_counts(found.made.counts)
    kept = {name: file.answer(name) for name in file.answers}
    new = {it.question.id: it.answer.to_plain() for it in found.made.outcomes if it.answer}
    _record(session, found, file.manifest.version)
    write_study_file(target, draft_of(file, {**kept, **new}), file.batches(), key)
    return replace(found.made, path=target)


def _check_counts(counts: OfCounts | None) -> None:
    """Refuse to write a revision whose counts tell more than they may."""
    if counts is not None and counts.costliest is not None:
        question = counts.costliest
        raise RefusedError(
            TELL_TOO_MUCH.format(says=counts.says, id=question.id, question=question.says)
        )


def _check_file(session: Session, manifest: Any, listed: Questions) -> Any:
    """Refuse a study file that is not of the session; return the key that signs it."""
    if not session.policy.fixed or session.policy.public:
        raise RefusedError("only a guarded study has answers; public data are drawn as they are")
    own, key = session.version_of_whole(), key_of_policy(session.policy)
    if manifest.version != own:
        raise InputError(NOT_THIS_FILE.format(of=manifest.version, own=own))
    if manifest.key != key.public:
        raise InputError(
            "the study file is signed by another key than this custodian's; name the file that was"
            " published with this secret"
        )
    if listed.version != manifest.version:
        raise InputError(
            f"the questions are of version {listed.version}, and the study file is of"
            f" {manifest.version}; ask them of this file again: discreet ask"
        )
    return key


@dataclass(frozen=True)
class _Decided:
    made: Answering
    book: Book
    given: tuple[Question, ...]  # whose numbers the version has given, with these
    new: tuple[Mapping[str, str], ...]
    before: int


def _membership(session: Session, pairs: int) -> tuple[float, float]:
    """Return how well the copy alone tells who is in the data, attacked on the data at hand.

    Of a typical person, and of one who stands out; what cannot be tried is taken from other tables.
    """
    found = Protected(study_of_session(session)).attack(pairs)
    shares = {it.name: float(it.found.share) for it in found.attacks}
    typical = shares.get("member, typical", LEAST_OF_COPY)
    return typical, shares.get("member, joint", LEAST_OF_FAR_OUT)


def _decide(
    session: Session, of: FileSession, listed: Questions, who: str, copy: tuple[float, float]
) -> _Decided:
    """Answer what can be answered, beside what all earlier answers of the version cost."""
    book = book_of(session, of, copy)
    earlier = session.register.answered(of.file.manifest.version)
    paid = dict.fromkeys(it["question"] for it in earlier if it["outcome"] in PAID)
    before = [Question.from_plain(json.loads(text)) for text in paid]
    for question in before:
        book.recall(question)
    known = {it["question"]: it["outcome"] for it in earlier}
    outcomes, new = [], []
    for number, question in enumerate(listed):
        advance("answers from the data", number, len(listed))
        with about("questions", number):
            outcome = _outcome(book, question)
        outcomes.append(outcome)
        text = canonical_text(question.to_plain())
        if known.get(text) != outcome.says:
            new.append({"who": who, "question": text, "outcome": outcome.says})
    advance("answers from the data", len(listed), len(listed))
    made = Answering(tuple(outcomes), book.left, book.exposure)
    every = [*before, *(it.question for it in outcomes if it.answer)]
    given = tuple(it for it in every if not it.holds)
    return _Decided(made, book, given, tuple(new), len(earlier))


def _outcome(book: Book, question: Question) -> Outcome:
    before = book.spent
    try:
        made = book.answer(question)
    except DiscreetError as error:
        return Outcome(question, str(error).splitlines()[0], book.spent - before)
    except UNREADABLE:
        return Outcome(question, NO_QUESTION, book.spent - before)  # of a list by other hands
    return Outcome(question, ANSWERED, book.spent - before, made)


def book_of(
    session: Session, of: FileSession, copy: tuple[float, float] = (LEAST_OF_COPY, LEAST_OF_FAR_OUT)
) -> Book:
    """Return what answers questions to a session's data, by the study file that is of them.

    `copy` is how well the copy alone tells who is in them.
    """
    table, policy, secret = session.table, session.policy, session.secret
    wanted = replace(choose_columns(table, policy), partitions=1)
    raw = raw_in_parts(table, policy, secret, wanted)
    # Rows that are alike are one person's in the copy alone: which are, hangs on all of them.
    persons = raw.persons if raw.unit else None
    # Noise of another size is other noise, for two sizes of one draw would tell what it is.
    version = f"{of.file.manifest.version} {policy.noise_of_answers}"
    raw = replace(raw, version=version.encode(), persons=persons)
    return Book(of, policy, Records.of(raw, of.kept, secret), copy)


def _record(session: Session, found: _Decided, version: str) -> None:
    """Record that a revision leaves, and what was asked for it, before it is written."""
    gate, policy = session.release_gate, session.policy
    columns = [*session.table.columns]
    gate.release([gate.record_from_copy(STUDY_FILE, columns, FORM, version)])
    terms = canonical_text(
        {
            "k": policy.k,
            "noise": policy.noise_of_answers,
            "numbers": policy.numbers_of_answers,
            "derive": dict(policy.derive or {}),
        }
    )
    session.register.record_answers(session.name or "", version, terms, found.new, found.before)
