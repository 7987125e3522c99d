"""Time stamps over a frozen label set: asked for, kept beside it, checked offline."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.labelset.format import MANIFEST, LabelSetError, read_label_set, verify
from evaluator.order.label_dates import witnesses_of
from evaluator.order.timestamps import read_roots, read_token, refusal, stamps_of, token_paths
from labeler.cli.sets import witness
from labeler.freezing.timestamp import ask_authority, keep_token
from tests.authority import Authority, made_authority, served
from tests.small_world import small_world


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return made_authority(tmp_path_factory.mktemp("tsa") / "authority")


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return small_world(tmp_path).labels


def now() -> datetime:
    return datetime.now(UTC)


def test_an_authority_over_http_stamps_a_set(labels: Path, authority: Authority) -> None:
    """The token lies beside the set, which stays as it was, and openssl takes it too."""
    with served(authority) as url:
        kept = ask_authority(labels, url, clock=now)
    assert labels.with_name("small-1.1.tsr") == kept.path
    assert () == verify(labels)
    assert () == kept.notes
    assert authority.accepts(kept.path, labels / MANIFEST)
    (stamp,) = stamps_of(labels, roots=authority.root)
    assert (True, None, "CN=signer", 1.0) == (
        stamp.checked,
        stamp.problem,
        stamp.authority,
        stamp.accuracy_seconds,
    )
    assert abs(datetime.fromisoformat(str(stamp.at)) - now()) < timedelta(minutes=1)
    (claimed,) = stamps_of(labels)  # without roots
    assert (False, None) == (claimed.checked, claimed.problem)
    assert "signature was not checked" in claimed.text()


def test_a_digest_that_can_be_forged_is_not_taken(
    labels: Path, authority: Authority, tmp_path: Path
) -> None:
    """And it is not said that other bytes were stamped."""
    settings = authority.folder / "ts.cnf"
    settings.write_text(settings.read_text().replace("digests = ", "digests = sha1, "))
    token = tmp_path / "got.tsr"
    token.write_bytes(authority.stamp(labels / MANIFEST, options="-sha1 -cert"))
    with pytest.raises(InputError, match=r"a kind that is not taken \(.*ask for SHA-256"):
        keep_token(labels, token)
    labels.with_name("small-1.1.tsr").write_bytes(token.read_bytes())
    (stamp,) = stamps_of(labels, roots=authority.root)
    assert (False, True) == (stamp.checked, "not taken" in str(stamp.problem))


@pytest.mark.parametrize("options", ["-sha512 -cert", "-sha256 -cert -no_nonce"])
def test_a_token_got_by_other_means_is_kept(
    labels: Path, authority: Authority, tmp_path: Path, options: str
) -> None:
    """With another hash or without a nonce; the next one has no response around it."""
    token = tmp_path / "got.tsr"
    token.write_bytes(authority.stamp(labels / MANIFEST, options=options))
    assert "small-1.1.tsr" == keep_token(labels, token).path.name
    assert ("This token was kept here before.",) == keep_token(labels, token).notes
    (authority.folder / "whole.tsr").write_bytes(authority.stamp(labels / MANIFEST))
    authority.openssl("ts -reply -in whole.tsr -token_out -out bare.tst")
    assert "small-1.2.tsr" == keep_token(labels, authority.folder / "bare.tst").path.name
    assert [True, True] == [stamp.checked for stamp in stamps_of(labels, roots=authority.root)]


def test_a_token_over_other_bytes_is_refused(
    labels: Path, authority: Authority, tmp_path: Path
) -> None:
    """And found when somebody puts it there by hand, or edits the manifest."""
    token = tmp_path / "got.tsr"
    token.write_bytes(authority.stamp(labels / "qrels.txt"))
    with pytest.raises(InputError, match="it stamps other bytes than this manifest"):
        keep_token(labels, token)
    assert [] == token_paths(labels)
    labels.with_name("small-1.1.tsr").write_bytes(token.read_bytes())
    (stamp,) = stamps_of(labels, roots=authority.root)
    assert "it stamps other bytes than this manifest (its sha256 differs)" == stamp.problem


def test_another_root_does_not_vouch_for_a_token(
    labels: Path, authority: Authority, tmp_path: Path
) -> None:
    """Nor does the certificate between, without the root above it."""
    other = made_authority(tmp_path / "other")
    labels.with_name("small-1.1.tsr").write_bytes(authority.stamp(labels / MANIFEST))
    for roots in (other.root, authority.folder / "between.pem"):
        (stamp,) = stamps_of(labels, roots=roots)
        assert not stamp.checked
        assert "not vouched for by the roots given" in str(stamp.problem)
    both = tmp_path / "both.pem"
    both.write_bytes(other.root.read_bytes() + authority.root.read_bytes())
    assert [True] == [stamp.checked for stamp in stamps_of(labels, roots=both)]


Spoil = Callable[[bytes], bytes]


@pytest.mark.parametrize(
    ("what", "spoil"),
    [
        ("empty", lambda _: b""),
        ("cut", lambda data: data[:-9]),
        ("longer", lambda data: data + b"\0"),
        ("no token", lambda _: b"<html>not here</html>"),
        ("refused by the authority", lambda _: bytes.fromhex("30053003020102")),
        ("endless", lambda data: b"\x30\x80" + data),
        ("too large", lambda data: data + bytes(1_000_000)),
    ],
)
def test_what_is_no_token_is_named(
    labels: Path, authority: Authority, tmp_path: Path, what: str, spoil: Spoil
) -> None:
    """Neither kept when it comes, nor passed over when it lies there."""
    data = spoil(authority.stamp(labels / MANIFEST))
    token = tmp_path / "got.tsr"
    token.write_bytes(data)
    with pytest.raises(InputError, match="holds no time stamp"):
        keep_token(labels, token)
    labels.with_name("small-1.1.tsr").write_bytes(data)
    (stamp,) = stamps_of(labels)
    assert "no time stamp can be read from it" in str(stamp.problem), what


def test_what_is_no_file_in_the_place_of_a_token_is_named(labels: Path) -> None:
    """A folder, a pipe, a link to nowhere and one without end; nothing is waited for."""
    labels.with_name("small-1.1.tsr").mkdir()
    os.mkfifo(labels.with_name("small-1.2.tsr"))
    labels.with_name("small-1.3.tsr").symlink_to("nowhere")
    labels.with_name("small-1.4.tsr").symlink_to("/dev/zero")
    problems = [str(stamp.problem) for stamp in stamps_of(labels)]
    assert [True] * 4 == ["no time stamp can be read from it" in problem for problem in problems]
    with pytest.raises(InputError, match="There is no token file"):
        keep_token(labels, labels.with_name("small-1.2.tsr"))


def test_a_gap_in_the_numbers_is_told(labels: Path, authority: Authority) -> None:
    """Somebody took stamps away, or copied only some."""
    labels.with_name("small-1.4.tsr").write_bytes(authority.stamp(labels / MANIFEST))
    assert (
        "of the time stamps beside the set 3 are missing, the first number 1"
        in witnesses_of(read_label_set(labels), now=now()).lines()
    )
    token = authority.folder / "own.tsr"
    token.write_bytes(authority.stamp(labels / MANIFEST))
    assert "small-1.5.tsr" == keep_token(labels, token).path.name


@pytest.mark.filterwarnings("ignore::cryptography.utils.CryptographyDeprecationWarning")
def test_a_token_with_any_signed_byte_changed_is_not_believed(
    labels: Path, authority: Authority
) -> None:
    """Each changed byte makes it unreadable or refused, or is outside of what is signed."""
    manifest = (labels / MANIFEST).read_bytes()
    data = authority.stamp(labels / MANIFEST)
    sound, roots = read_token(data), read_roots(authority.root)
    stated = data.index(b"\x18\x0f20")  # the time: tag, length, "20…Z"
    signed = {*range(stated + 2, stated + 16), len(data) - 1, len(data) - 20}
    for place in range(len(data)):
        spoiled = data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
        try:
            token = read_token(spoiled)
        except ValueError:
            continue
        if token.why_not_of(manifest) is None and refusal(token, manifest, roots) is None:
            assert (sound.at, sound.imprint) == (token.at, token.imprint), place
            assert place not in signed


def test_tokens_are_those_of_this_set(labels: Path) -> None:
    """Not of a set whose name begins alike, and in the order of their numbers."""
    for name in ("small-1.10.tsr", "small-1.2.tsr", "small-1.2.1.tsr", "small-10.1.tsr"):
        labels.with_name(name).write_bytes(b"")
    assert ["small-1.2.tsr", "small-1.10.tsr"] == [path.name for path in token_paths(labels)]


def test_the_answer_to_another_request_is_refused(labels: Path, authority: Authority) -> None:
    """A stamp that was made before is not passed off as a new one. Another clock is told."""
    with (
        served(authority, spoil=authority.stamp(labels / MANIFEST)) as url,
        pytest.raises(InputError, match="belongs to another request"),
    ):
        ask_authority(labels, url, clock=now)
    assert [] == token_paths(labels)
    with served(authority) as url:
        kept = ask_authority(labels, url, clock=lambda: now() - timedelta(days=2))
    assert "clock is 172," in kept.notes[0]
    assert "behind the authority's" in kept.notes[0]


@pytest.mark.parametrize(
    ("message", "how"),
    [
        ("holds no time stamp", {"spoil": b"sorry"}),
        ("answered 503", {"spoil": b"busy", "status": 503}),
        ("more than 1,000,000 bytes", {"spoil": b"\x30" * 1_000_001}),
    ],
)
def test_an_authority_that_gives_no_token_is_named(
    labels: Path, authority: Authority, message: str, how: dict[str, object]
) -> None:
    """With what to do, and nothing is kept."""
    with served(authority, **how) as url, pytest.raises(InputError, match=message):  # type: ignore[arg-type]
        ask_authority(labels, url, clock=now)
    assert [] == token_paths(labels)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/none", "file:///etc/hosts", "http://[", "tsa"])
def test_an_address_that_is_none_is_named(labels: Path, url: str) -> None:
    """No file is read in its stead, and no traceback shown."""
    done = CliRunner().invoke(witness, [str(labels), "--url", url])
    assert isinstance(done.exception, InputError)
    assert url in str(done.exception)


def test_a_damaged_set_is_not_stamped(labels: Path) -> None:
    """A stamp on it would only preserve the damage."""
    (labels / "qrels.txt").chmod(0o644)
    (labels / "qrels.txt").write_text("")
    with pytest.raises(LabelSetError, match="nothing was stamped"):
        ask_authority(labels, "http://127.0.0.1:9", clock=now)


def test_the_command_prints_where_the_token_lies(
    labels: Path, authority: Authority, tmp_path: Path
) -> None:
    """And says that it did not check the signature."""
    token = tmp_path / "got.tsr"
    token.write_bytes(authority.stamp(labels / MANIFEST))
    done = CliRunner().invoke(witness, [str(labels), "--token", str(token)])
    assert (0, f"{labels.with_name('small-1.1.tsr').resolve()}\n") == (done.exit_code, done.stdout)
    assert "the signature is not checked" in done.stderr
    assert 2 == CliRunner().invoke(witness, [str(labels)]).exit_code


def test_an_unsorted_set_of_certificates_is_read(labels: Path, authority: Authority) -> None:
    """Authorities send them in any order; the order is no part of what is signed."""
    data = authority.stamp(labels / MANIFEST)
    token = read_token(data)
    assert len(data) == len(token.der)
    assert token == read_token(token.der)
