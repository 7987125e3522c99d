"""
RFC 3161 time stamps over a label set's manifest, kept beside the set as `NAME.<n>.tsr`.

It reads a token, says what it claims, and checks it offline against root certificates. It
knows nothing of networks. Parsing and verification are rfc3161-client's, which wants strict
DER, in which the members of a set are sorted. Many authorities leave their certificates
unsorted; their order is no part of what is signed, so sorting them changes no statement.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import MANIFEST, utc_text

MOST_BYTES = 1_000_000  # a response with a whole chain of certificates has some 10 kB
_GRANTED = (0, 1)  # PKIStatus granted and grantedWithMods, RFC 3161 section 2.4.2
_HASHES = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
# Tags of DER, and the status of a response in which a token was granted.
_SEQUENCE, _OBJECT_ID, _CONSTRUCTED = 0x30, 0x06, 0x20
_SETS = (0x31, 0xA0, 0xA1)  # where [0] and [1] are no sets, they have one member
_STATUS_GRANTED = bytes.fromhex("3003020100")


@dataclass(frozen=True, slots=True)
class Token:
    """
    A time stamp as it claims to be: nothing of it is checked yet.

    `der` is the whole response, in DER order. `authority` is the name on the certificate that
    the token says it was signed with.
    """

    der: bytes
    at: datetime
    accuracy_seconds: float | None
    hash_name: str
    imprint: bytes
    nonce: int | None
    authority: str

    def why_not_of(self, data: bytes) -> str | None:
        """Why it is no stamp over exactly these bytes; None if it is one."""
        if self.hash_name not in _HASHES.values():
            return (
                f"it holds a digest of a kind that is not taken ({self.hash_name}); ask for "
                "SHA-256, SHA-384 or SHA-512"
            )
        if hashlib.new(self.hash_name, data).digest() != self.imprint:
            return f"it stamps other bytes than this manifest (its {self.hash_name} differs)"
        return None


@dataclass(frozen=True, slots=True)
class Stamped:
    """
    One token beside a label set, and what checking it gave.

    `at` is None where the token cannot be read. `checked` is whether its signature leads to a
    root that was given. With a `problem` it is a witness of nothing.
    """

    file: str
    at: str | None = None
    accuracy_seconds: float | None = None
    authority: str | None = None
    checked: bool = False
    problem: str | None = None

    def text(self) -> str:
        """The finding in one line."""
        if self.problem:
            return f"{self.file}: {self.problem}"
        within = f" within {self.accuracy_seconds:g} s" if self.accuracy_seconds else ""
        signed = (
            "its signature leads to a root that was given"
            if self.checked
            else "the authority's signature was not checked (--authority ROOTS.pem checks it)"
        )
        return f"{self.file}: {self.authority} states {self.at}{within}; {signed}"


def token_path(directory: Path, number: int) -> Path:
    """Where the token of a number lies beside a label set."""
    directory = directory.resolve()
    return directory.with_name(f"{directory.name}.{number}.tsr")


def token_number(name: str) -> int:
    """The number in the name of a token's file."""
    return int(name.split(".")[-2])


def token_paths(directory: Path) -> list[Path]:
    """The tokens beside a label set, by number."""
    directory = directory.resolve()
    name = re.compile(rf"{re.escape(directory.name)}\.[1-9][0-9]{{0,8}}\.tsr")
    found = (path for path in directory.parent.iterdir() if name.fullmatch(path.name))
    return sorted(found, key=lambda path: token_number(path.name))


def stamps_of(directory: Path, *, roots: Path | None = None) -> tuple[Stamped, ...]:
    """Every token beside a label set, checked against `roots` where they are given."""
    paths = token_paths(directory)
    manifest = (directory / MANIFEST).read_bytes()
    trusted = None if roots is None else read_roots(roots)
    return tuple(_stamped(path, manifest, trusted) for path in paths)


def request_for(data: bytes) -> tuple[bytes, int]:
    """What to send to an authority to have these bytes stamped, and the nonce it must return."""
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

    builder = TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256)
    request = builder.cert_request(cert_request=True).build()
    assert request.nonce is not None
    return request.as_bytes(), request.nonce


def token_bytes(path: Path) -> bytes:
    """
    What a token file holds, of a file that is too long only the beginning.

    Raises ValueError for a pipe and whatever else has no end, and OSError.
    """
    if path.exists() and not path.is_file():
        raise ValueError("it is no file")
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def read_token(data: bytes) -> Token:
    """
    The token in a response (`.tsr`) or alone, as `openssl ts -token_out` writes it.

    Raises ValueError saying what is wrong, also where an authority refused to stamp.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    try:
        return _parsed(_sorted_response(data))
    except ValueError:
        raise
    except Exception as error:  # spoiled certificates raise classes of cryptography's own
        raise ValueError(f"it is no time stamp ({error})") from None


def refusal(token: Token, data: bytes, roots: list[Any]) -> str | None:
    """Why a token is no signed statement over these bytes under these roots; None if it is."""
    from rfc3161_client import VerifierBuilder, decode_timestamp_response

    try:
        verifier = VerifierBuilder(roots=roots, intermediates=[]).build()
        verifier.verify_message(decode_timestamp_response(token.der), data)
    except Exception as error:  # whatever stops the check, the token is not vouched for
        reasons = re.findall(r'reason: "([^"]+)"', str(error))  # OpenSSL's, without its stack
        details = re.findall(r'data: "([^"]+)"', str(error))
        return ", ".join([*reasons, *details]) or str(error)
    return None


def read_roots(path: Path) -> list[Any]:
    """The certificates of a PEM file. Raises InputError when there are none."""
    from cryptography import x509

    try:
        return list(dict.fromkeys(x509.load_pem_x509_certificates(path.read_bytes())))
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(f"There is no file of root certificates {path}.") from None
    except ValueError:
        raise InputError(
            f"{path} holds no certificates. Give the authority's root certificates in PEM, the "
            "form that begins with -----BEGIN CERTIFICATE-----."
        ) from None


def _stamped(path: Path, manifest: bytes, roots: list[Any] | None) -> Stamped:
    try:
        token = read_token(token_bytes(path))
    except (OSError, ValueError) as error:
        return Stamped(path.name, problem=f"no time stamp can be read from it: {error}")
    problem = token.why_not_of(manifest)
    if problem is None and roots is not None and (why := refusal(token, manifest, roots)):
        problem = f"{token.authority} is not vouched for by the roots given: {why}"
    return Stamped(
        path.name,
        utc_text(token.at),
        token.accuracy_seconds,
        token.authority,
        checked=roots is not None and problem is None,
        problem=problem,
    )


def _parsed(der: bytes) -> Token:
    from rfc3161_client import decode_timestamp_response

    response = decode_timestamp_response(der)
    if response.status not in _GRANTED:
        said = " ".join(map(str, response.status_string or []))
        raise ValueError(
            f"the authority did not stamp it (status {response.status}) {said}".strip()
        )
    stated = response.tst_info
    oid = stated.message_imprint.hash_algorithm.dotted_string
    return Token(
        der=der,
        at=stated.gen_time,
        accuracy_seconds=_seconds(stated.accuracy),
        hash_name=_HASHES.get(oid, oid),
        imprint=stated.message_imprint.message,
        nonce=stated.nonce,
        authority=_authority(response.signed_data),
    )


def _seconds(accuracy: Any) -> float | None:
    if accuracy is None:
        return None
    parts = zip(("seconds", "millis", "micros"), (1.0, 1e-3, 1e-6), strict=True)
    return float(sum((getattr(accuracy, name) or 0) * unit for name, unit in parts)) or None


def _authority(signed: Any) -> str:
    """The subject of the certificate that the signer names, as far as the token carries it."""
    from cryptography import x509

    signers = list(signed.signer_infos)
    if len(signers) != 1:
        raise ValueError(f"it has {len(signers)} signatures, not one")
    for der in signed.certificates:
        certificate = x509.load_der_x509_certificate(der)
        named = certificate.issuer, certificate.serial_number
        if named == (signers[0].issuer, signers[0].serial_number):
            return certificate.subject.rfc4514_string()
    return f"an authority under {signers[0].issuer.rfc4514_string()}"


def _sorted_response(data: bytes) -> bytes:
    """
    The response (`.tsr`), or a token alone put into one, with the sets of its outer level sorted.

    A token alone is what `openssl ts -token_out` writes. Raises ValueError for what is not
    made of tags, lengths and contents.
    """
    if data[:1] != bytes([_SEQUENCE]):
        raise ValueError("it is not built like a time stamp")
    start, end = _content(data, 0)
    if end != len(data):
        raise ValueError(f"it has {len(data)} bytes where its length says {end}")
    if data[start : start + 1] == bytes([_OBJECT_ID]):
        data = _sequence(_STATUS_GRANTED + data)
    return b"".join(_sorted(data, levels=5))


def _sorted(data: bytes, *, levels: int) -> list[bytes]:
    """
    The elements that stand one after the other, with the members of sets in order.

    So many levels down the sets of the signed data are reached, and no certificate is opened:
    its bytes are signed as they are.
    """
    found, at = [], 0
    while at < len(data):
        start, end = _content(data, at)
        content = data[start:end]
        if levels and data[at] & _CONSTRUCTED:
            members = _sorted(content, levels=levels - 1)
            content = b"".join(sorted(members) if data[at] in _SETS else members)
        found.append(data[at:start] + content)
        at = end
    return found


def _content(data: bytes, at: int) -> tuple[int, int]:
    """Where the content of the element at a place begins and ends."""
    if at + 2 > len(data):
        raise ValueError("it ends in the middle")
    first, start = data[at + 1], at + 2
    if first < 0x80:
        length = first
    else:
        wide = first & 0x7F
        if not 1 <= wide <= 4:
            raise ValueError("it is not in DER")
        length = int.from_bytes(data[start : start + wide])
        start += wide
    if start + length > len(data):
        raise ValueError("it ends in the middle")
    return start, start + length


def _sequence(content: bytes) -> bytes:
    if len(content) < 0x80:
        return bytes([_SEQUENCE, len(content)]) + content
    wide = (len(content).bit_length() + 7) // 8
    return bytes([_SEQUENCE, 0x80 | wide]) + len(content).to_bytes(wide) + content
