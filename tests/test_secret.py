"""The custodian's secret: found, made, kept to itself; and the noise and keys it stands for."""

import concurrent.futures
import copy
import math
import os
import pickle
import re
import stat
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from discreet import secret as secret_module
from discreet.errors import BrokenPromiseError, InputError
from discreet.keys import Keys
from discreet.secret import Secret, generator, load_secret, unguessable

NAN, INF = math.nan, math.inf

HEX = "00112233445566778899aabbccddeeff" * 2
OTHER_HEX = "ffeeddccbbaa99887766554433221100" * 2
SECRET = Secret.from_text(HEX)
OTHER = Secret.from_text(OTHER_HEX)
VERSION = b"version 1"


def keys_of(numbers: Sequence[int]) -> Keys:
    words = [(number % 2**64, number >> 64) for number in numbers]
    return np.array(words, dtype=np.uint64).reshape(-1, 2)


def not_told(error: BaseException, *planted: str) -> None:
    told = str(error) + repr(error) + "".join(traceback.format_exception(error))
    assert not any(text in told for text in planted)


# --- what is taken for a secret --------------------------------------------------------------


def test_enough_hexadecimal_digits_are_a_secret() -> None:
    for text in (HEX, HEX[:32], HEX.upper(), f"  {HEX}\n"):
        same = Secret.from_bytes(bytes.fromhex(text))
        assert Secret.from_text(text).digest("x") == same.digest("x")


WEAK: dict[str, tuple[str, str]] = {
    "nothing": ("", "the secret is too weak: at least 128 random bits"),
    "blanks": ("  \n", "the secret is too weak"),
    "a small number": ("12345678", "the secret is too weak"),
    "a small number of odd length": ("123", "the secret must be written in hexadecimal digits"),
    "120 bits": (HEX[:30], "the secret is too weak"),
    "one byte over and over": ("ab" * 32, "the secret is too weak"),
    "a few bytes over and over": ("00112233" * 8, "the secret is too weak"),
    "a password": ("correct horse battery staple", "the secret must be written in hexadecimal"),
    "a negative number": (
        "-123456",
        "the secret must be written in hexadecimal digits, at least 32",
    ),
}


@pytest.mark.parametrize(("text", "message"), WEAK.values(), ids=WEAK)
def test_too_little_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as told:
        Secret.from_text(text)
    if text.strip():
        not_told(told.value, text)


@pytest.mark.parametrize("material", [b"", bytes(range(15)), bytes(32), b"ab" * 16])
def test_too_few_bytes_are_refused(material: bytes) -> None:
    with pytest.raises(InputError, match="make one with python -c 'import secrets"):
        Secret.from_bytes(material)


def test_small_numbers_are_taken_where_they_are_allowed_and_nothing_else_that_is_small() -> None:
    texts = ("0", "7", "42", "20211104", "1" * 31)
    small = [Secret.from_text(text, allow_small=True).digest("x") for text in texts]
    assert len({*small}) == len(texts)
    assert small[1] == Secret.from_text(" 7\n", allow_small=True).digest("x")
    for text in texts:
        with pytest.raises(InputError, match="the secret"):
            Secret.from_text(text)
    for text in ("", "-1", "1.5", "seven", "ab" * 8):
        with pytest.raises(InputError, match="the secret"):
            Secret.from_text(text, allow_small=True)


# --- where it is found -----------------------------------------------------------------------


@pytest.fixture(autouse=True)
def none_yet(own_home: Path) -> None:
    """Take away the secret that tests have."""
    (own_home / ".config" / "discreet" / "discreet.secret").unlink()
    (own_home / ".config" / "discreet").rmdir()


@pytest.fixture
def made(own_home: Path) -> Path:
    """Say where a secret is made."""
    return own_home / ".config" / "discreet" / "discreet.secret"


def kept(path: Path, text: str = HEX, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_environment_comes_first(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path / "discreet.secret", OTHER_HEX)
    kept(made, OTHER_HEX)
    monkeypatch.setenv("DISCREET_SECRET", HEX)
    assert load_secret(tmp_path).digest("x") == SECRET.digest("x")


def test_then_the_file_beside_the_policy(tmp_path: Path, made: Path) -> None:
    kept(tmp_path / "discreet.secret")
    kept(made, OTHER_HEX)
    assert load_secret(tmp_path).digest("x") == SECRET.digest("x")
    assert load_secret(None).digest("x") == OTHER.digest("x")


def test_which_is_made_once(tmp_path: Path, made: Path) -> None:
    first = load_secret(None)
    assert load_secret(None).digest("x") == load_secret(tmp_path).digest("x") == first.digest("x")
    assert len(bytes.fromhex(made.read_text())) == 32
    assert [path.name for path in made.parent.iterdir()] == ["discreet.secret"]
    assert list(tmp_path.iterdir()) == []


def test_or_beside_the_policy_where_there_is_one(tmp_path: Path, made: Path) -> None:
    path = tmp_path / "discreet.secret"
    before = os.umask(0)
    try:
        first = load_secret(tmp_path)
    finally:
        os.umask(before)
    assert [*tmp_path.rglob("discreet.secret*")] == [path], "and no part of one"
    assert not made.exists()
    assert len(bytes.fromhex(path.read_text())) == 32
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_secret(tmp_path).digest("x") == first.digest("x")
    assert load_secret(None).digest("x") != first.digest("x"), "made in the configuration folder"
    assert load_secret(tmp_path).digest("x") == first.digest("x"), "the one beside comes first"


REAL_OPEN, REAL_LINK = os.open, os.link


def no_open(path: str | Path, *more: Any) -> int:
    """Open nothing for writing beside the policy, as on a disk that may not be written."""
    if "beside" in str(path):
        raise PermissionError
    return REAL_OPEN(path, *more)


def open_to_all(path: str | Path, flags: int, mode: int = 0o777) -> int:
    """Make files beside the policy that all may read, as a disk without rights does."""
    found = REAL_OPEN(path, flags, mode)
    if "beside" in str(path):
        os.fchmod(found, 0o777)
    return found


def no_link(source: Path, target: Path) -> None:
    """Link nothing beside the policy, as on a disk that knows no links."""
    if "beside" in str(source):
        raise PermissionError
    REAL_LINK(source, target)


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
@pytest.mark.parametrize(
    ("name", "instead"), [("open", no_open), ("open", open_to_all), ("link", no_link)]
)
def test_where_none_can_be_made_beside_it_the_configuration_folder_gets_it(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch, name: str, instead: Any
) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(os, name, instead)
        first = load_secret(beside)
    assert list(beside.iterdir()) == []
    assert load_secret(None).digest("x") == first.digest("x")
    assert load_secret(beside).digest("x") == first.digest("x"), "it is found from now on"
    assert list(beside.iterdir()) == []


def test_where_none_can_be_made_at_all_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "open", refuse)
    for folder in (tmp_path, None):
        with pytest.raises(InputError, match=r"no secret can be made in .* DISCREET_SECRET"):
            load_secret(folder)


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_for_its_owner_alone(made: Path) -> None:
    before = os.umask(0)
    try:
        load_secret(None)
    finally:
        os.umask(before)
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700


def test_a_weak_one_of_the_environment_is_refused(
    monkeypatch: pytest.MonkeyPatch, made: Path
) -> None:
    monkeypatch.setenv("DISCREET_SECRET", "20211104")
    with pytest.raises(InputError, match="the secret is too weak") as told:
        load_secret(None)
    not_told(told.value, "20211104")
    assert load_secret(None, allow_small=True).digest("x")
    assert not made.exists()


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_a_file_that_others_may_read_is_refused_and_one_of_the_owner_taken(tmp_path: Path) -> None:
    for mode in (0o640, 0o604, 0o660, 0o610, 0o777):
        path = kept(tmp_path / "discreet.secret", mode=mode)
        with pytest.raises(InputError, match=r"can be read by others; .* \(chmod 600\)") as told:
            load_secret(tmp_path)
        assert str(path) in str(told.value)
        not_told(told.value, HEX)
    for mode in (0o600, 0o700):
        kept(tmp_path / "discreet.secret", mode=mode)
        assert load_secret(tmp_path).digest("x") == SECRET.digest("x")


SPOILT: dict[str, tuple[bytes, str]] = {
    "raw bytes": (bytes(range(120, 152)), "cannot be read; the file must hold hexadecimal digits"),
    "a weak one": (b"20211104", "the secret is too weak"),
    "nothing": (b"", "the secret is too weak"),
    "words": (b"canary horse battery staple", "the secret must be written in hexadecimal digits"),
}


@pytest.mark.parametrize(("content", "message"), SPOILT.values(), ids=SPOILT)
def test_a_spoilt_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = kept(tmp_path / "discreet.secret")
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as told:
        load_secret(tmp_path)
    not_told(told.value, "canary", "20211104", "0x80", "\\x80")


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "discreet.secret").mkdir(mode=0o700)
    with pytest.raises(InputError, match=r"cannot be read \(IsADirectoryError\); whoever"):
        load_secret(tmp_path)


DIGEST = "from discreet.secret import load_secret; print(load_secret(None).digest('x').hex())"


def test_processes_that_start_together_make_one(made: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", DIGEST], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = {process.communicate(timeout=120)[0].strip() for process in started}
    assert said == {load_secret(None).digest("x").hex()}
    assert [path.name for path in made.parent.iterdir()] == ["discreet.secret"]


def test_threads_that_meet_half_way_make_one(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made.parent.mkdir(parents=True)
    link, both_wrote = os.link, threading.Barrier(2)

    def link_together(source: Path, target: Path) -> None:
        both_wrote.wait(timeout=60)
        link(source, target)

    monkeypatch.setattr(os, "link", link_together)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(secret_module._make, made) for _ in range(2)]:
            done.result()
    assert [path.name for path in made.parent.iterdir()] == ["discreet.secret"]
    assert load_secret(None).digest("x")


# --- where it is not told --------------------------------------------------------------------


def test_it_prints_as_nothing() -> None:
    assert repr(SECRET) == str(SECRET) == f"{SECRET}" == "Secret(...)"
    assert not hasattr(SECRET, "__dict__")


@pytest.mark.parametrize(
    "take", [pickle.dumps, copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"]
)
def test_it_is_neither_pickled_nor_copied(take: Callable[[object], object]) -> None:
    with pytest.raises(InputError, match="a secret is not written down") as told:
        take(SECRET)
    not_told(told.value, HEX, repr(bytes.fromhex(HEX)))


def test_it_is_in_nothing_that_is_made_of_it() -> None:
    made = SECRET.digest("x"), SECRET.digest("records"), SECRET.marks(np.arange(3.0)).tobytes()
    assert not any(bytes.fromhex(HEX)[:8] in part for part in made)


# --- digests ---------------------------------------------------------------------------------


def test_a_digest_is_of_the_secret_the_purpose_and_each_part() -> None:
    asked = [
        SECRET.digest("marks", b"a", b"bc"),
        SECRET.digest("marks", b"ab", b"c"),
        SECRET.digest("marks", b"abc"),
        SECRET.digest("marks", b"abc", b""),
        SECRET.digest("marks"),
        SECRET.digest("mark", b"sabc"),
        SECRET.digest("noise", b"abc"),
        OTHER.digest("marks", b"abc"),
    ]
    assert len(set(asked)) == len(asked)
    assert {len(digest) for digest in asked} == {32}
    assert SECRET.digest("marks", b"abc") == asked[2]


# --- noise -----------------------------------------------------------------------------------

records = st.lists(st.integers(0, 2**128 - 1), min_size=1, max_size=20, unique=True)
names = st.lists(st.text(max_size=8), min_size=1, max_size=4, unique=True)


@given(records, names)
def test_noise_differs_by_record_and_column(numbers: list[int], columns: list[str]) -> None:
    noise = SECRET.normals(VERSION, keys_of(numbers), columns)
    assert noise.shape == (len(numbers), len(columns))
    assert np.isfinite(noise).all()
    assert len(np.unique(noise)) == noise.size


@pytest.mark.slow
def test_noise_and_draws_are_the_same_in_another_process() -> None:
    code = (
        "import numpy as np; from discreet.secret import Secret, generator; np.random.seed(3);"
        f"s = Secret.from_text('{HEX}');"
        "keys = np.zeros((1, 2), np.uint64);"
        "print(s.normals(b'version 1', keys, ['age', 'bmi']).tobytes().hex(),"
        " generator('resampling', 7).random(3).tobytes().hex())"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    generator("resampling", 7).random(100)
    noise = SECRET.normals(VERSION, keys_of([0]), ["age", "bmi"])
    drawn = generator("resampling", 7).random(3)
    assert said.stdout.split() == [noise.tobytes().hex(), drawn.tobytes().hex()]


def test_noise_is_standard_normal_and_of_each_column_on_its_own() -> None:
    noise = SECRET.normals(VERSION, keys_of(range(100_000)), ["age", "bmi", "glucose"])

    # four standard errors: of a mean, an sd and a correlation of 1e5 values
    assert np.abs(noise.mean(axis=0)).max() < 4 / math.sqrt(1e5)
    assert np.abs(noise.std(axis=0) - 1).max() < 4 / math.sqrt(2e5)
    assert np.abs(np.corrcoef(noise.T) - np.eye(3)).max() < 4 / math.sqrt(1e5)
    for column in noise.T:
        assert stats.kstest(column, "norm").pvalue > 0.001
        neighbours = np.corrcoef(column[1:], column[:-1])[0, 1]
        assert abs(neighbours) < 4 / math.sqrt(1e5)


@given(records, names, st.binary(max_size=8))
def test_normal_noise_is_uniform_noise_drawn_out(
    numbers: list[int], columns: list[str], version: bytes
) -> None:
    uniforms = SECRET.uniforms(version, keys_of(numbers), columns)
    assert uniforms.shape == (len(numbers), len(columns))
    assert ((uniforms > 0) & (uniforms < 1)).all()
    normals = SECRET.normals(version, keys_of(numbers), columns)
    assert special.ndtri(uniforms).tobytes() == normals.tobytes()


@given(records, names, st.data())
def test_a_record_keeps_its_uniforms_in_every_order_and_subset(
    numbers: list[int], columns: list[str], data: Any
) -> None:
    keys = keys_of(numbers)
    uniforms = SECRET.uniforms(VERSION, keys, columns)
    some = data.draw(st.permutations(range(len(keys))))[: data.draw(st.integers(1, len(keys)))]
    few = data.draw(st.permutations(range(len(columns))))[: data.draw(st.integers(1, len(columns)))]
    again = SECRET.uniforms(VERSION, keys[some], [columns[j] for j in few])
    assert again.tolist() == uniforms[np.ix_(some, few)].tolist()


@given(records, st.binary(max_size=8), st.binary(max_size=8))
def test_uniforms_differ_by_version_and_secret(numbers: list[int], one: bytes, two: bytes) -> None:
    keys = keys_of(numbers)
    uniforms = SECRET.uniforms(one, keys, ["age"])
    assert not np.any(OTHER.uniforms(one, keys, ["age"]) == uniforms)
    assert np.all(SECRET.uniforms(two, keys, ["age"]) == uniforms) == (one == two)


@pytest.mark.parametrize(
    ("bits", "expected"),
    [(0, 2.0**-53), (2**12 - 1, 2.0**-53), (2**12, 3 * 2.0**-53), (2**64 - 1, 1 - 2.0**-53)],
    ids=["least", "of which 52 count", "next", "largest"],
)
def test_uniforms_stay_off_nought_and_one(
    monkeypatch: pytest.MonkeyPatch, bits: int, expected: float
) -> None:
    monkeypatch.setattr(
        secret_module, "encrypt", lambda key, blocks: np.full(blocks.shape, bits, np.uint64)
    )
    assert SECRET.uniforms(VERSION, keys_of([1]), ["age"]).tolist() == [[expected]]


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="columns must have different names"):
        SECRET.normals(VERSION, keys_of([1, 2]), ["age", "bmi", "age"])
    with pytest.raises(InputError, match="columns must have different names"):
        SECRET.uniforms(VERSION, keys_of([1, 2]), ["age", "bmi", "age"])


def test_a_cipher_that_fails_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    class Short:
        def update_into(self, data: memoryview, out: memoryview) -> int:
            return len(data) - 1

    monkeypatch.setattr(
        "cryptography.hazmat.primitives.ciphers.Cipher.encryptor", lambda self: Short()
    )
    with pytest.raises(BrokenPromiseError, match="the cipher returned another length"):
        SECRET.normals(VERSION, keys_of([1]), ["age"])


# --- draws that protect nothing ---------------------------------------------------------------

SAID = st.lists(st.text(st.characters(exclude_characters="\0"), max_size=6) | st.integers())


@given(SAID, SAID)
def test_draws_are_those_of_their_words(one: list[str | int], two: list[str | int]) -> None:
    drawn, other = (generator(*words).integers(2**63, size=4).tolist() for words in (one, two))
    assert generator(*one).integers(2**63, size=4).tolist() == drawn
    # Words are told apart as texts; none at all are as one that is empty.
    assert (drawn == other) == ("\0".join(map(str, one)) == "\0".join(map(str, two)))


# --- marks -----------------------------------------------------------------------------------


cells = st.sampled_from([0.0, -0.0, 1.0, NAN, INF, -INF, 2.5])


@given(st.lists(cells, min_size=1, max_size=12))
def test_equal_numbers_have_equal_marks(values: list[float]) -> None:
    marks = [tuple(mark) for mark in SECRET.marks(np.array(values)).tolist()]
    told = [value if math.isfinite(value) else None for value in values]
    for i, one in enumerate(told):
        for j, two in enumerate(told):
            assert (marks[i] == marks[j]) == (one == two)


@given(st.lists(st.sampled_from(["", "a", "ab", "größe", "\0"]), min_size=1, max_size=12))
def test_equal_words_have_equal_marks(values: list[str]) -> None:
    marks = [tuple(mark) for mark in SECRET.marks(values).tolist()]
    for i, one in enumerate(values):
        for j, two in enumerate(values):
            assert (marks[i] == marks[j]) == (one == two)


def test_marks_are_of_the_secret_and_of_numbers_or_words() -> None:
    numbers, words = SECRET.marks(np.array([1.0, 2.0])), SECRET.marks(["1", "2"])
    assert numbers.shape == words.shape == (2, 2)
    assert not np.isin(numbers, words).any()
    assert not np.isin(numbers, OTHER.marks(np.array([1.0, 2.0]))).any()
    assert SECRET.marks(np.array([])).shape == SECRET.marks([]).shape == (0, 2)


def test_words_that_nobody_guesses_are_long_and_different() -> None:
    words = {unguessable() for _ in range(100)}
    assert len(words) == 100
    assert all(len(word) == 43 and re.fullmatch(r"[\w-]+", word) for word in words)


def test_a_derived_key_goes_to_other_processes_and_says_nothing_of_the_secret() -> None:
    own = SECRET.derived("table", b"1")
    given = pickle.dumps(own)
    assert pickle.loads(given).secret.digest("x") == own.secret.digest("x")
    assert bytes.fromhex(HEX) not in given
    assert own.secret.digest("x") != SECRET.digest("x")
    assert own != SECRET.derived("table", b"2") != SECRET.derived("tables", b"2")
    assert repr(own).startswith("<discreet.secret.DerivedKey object")
