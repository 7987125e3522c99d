"""
A time-stamp response in DER order, without looking into what it says.

RFC 3161 wants DER, in which the members of a set are sorted; many authorities leave their
certificates unsorted, and a strict parser refuses them. The order of certificates is not
part of what is signed, so sorting changes no statement.
"""

from collections.abc import Iterable, Iterator

_SEQUENCE, _SET, _CONTEXT_0, _CONTEXT_1, _OBJECT_ID = 0x30, 0x31, 0xA0, 0xA1, 0x06
_GRANTED = bytes.fromhex("3003020100")


def sorted_response(data: bytes) -> bytes:
    """
    The response (`.tsr`), or a token alone put into one, with the sets of its outer level sorted.

    A token alone is what `openssl ts -token_out` writes. Raises ValueError for what is not
    made of tags, lengths and contents.
    """
    outer = _only(data)
    if outer[:1] == bytes([_OBJECT_ID]):
        return _element(_SEQUENCE, [_GRANTED, _token(data)])
    status, *token = _contents(outer)
    return _element(_SEQUENCE, [status, *(_token(each) for each in token)])


def _token(data: bytes) -> bytes:
    """ContentInfo: an object id, then the signed data in a context tag."""
    kind, *held = _contents(_only(data))
    return _element(
        _SEQUENCE,
        [kind, *(_element(_CONTEXT_0, [_signed_data(_only(each, _CONTEXT_0))]) for each in held)],
    )


def _signed_data(data: bytes) -> bytes:
    members = []
    for member in _contents(_only(data)):
        is_set = member[0] in (_SET, _CONTEXT_0, _CONTEXT_1)
        content = _only(member, member[0])
        members.append(_element(member[0], sorted(_contents(content))) if is_set else member)
    return _element(_SEQUENCE, members)


def _only(data: bytes, tag: int = _SEQUENCE) -> bytes:
    """The content of the one element that these bytes are."""
    if not data or data[0] != tag:
        raise ValueError("it is not built like a time stamp")
    start, end = _content(data, 0)
    if end != len(data):
        raise ValueError(f"it has {len(data)} bytes where its length says {end}")
    return data[start:end]


def _contents(data: bytes) -> list[bytes]:
    """The elements that stand one after the other, each with its tag and length."""
    return list(_elements(data))


def _elements(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        _, end = _content(data, at)
        yield data[at:end]
        at = end


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


def _element(tag: int, members: Iterable[bytes]) -> bytes:
    content = b"".join(members)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    wide = (len(content).bit_length() + 7) // 8
    return bytes([tag, 0x80 | wide]) + len(content).to_bytes(wide) + content
