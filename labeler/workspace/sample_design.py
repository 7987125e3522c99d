"""
How a sample was drawn: the design as it is kept with a workspace and frozen with its labels.

It is what `labeler/sampling` makes and what everybody else reads. Designs of older versions,
which have fewer keys, are read and written as they stand.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from evaluator import InputError

DesignName = Literal["proportional", "permanent", "uniform", "top"]


@dataclass(frozen=True, slots=True)
class Allotment:
    """What a stratum holds, how many queries it was to give, and what it gave."""

    population: int
    searches: int
    target: int
    drawn: int
    drawn_searches: int
    certainty: int


@dataclass(frozen=True, slots=True)
class DrawnPart:
    """What a part of the design holds, by the name that is stored with its queries."""

    population: int
    searches: int
    sampled: int


@dataclass(frozen=True, slots=True)
class SampleWindow:
    """From the first to the last search of all logs, None if one of them does not say."""

    first_at: str | None = None
    last_at: str | None = None


@dataclass(frozen=True, slots=True)
class Refresh:
    """
    How a successor differs from the label set that it follows.

    `salt` is that of the permanent numbers of both. `stretched` says of a sample of an older
    version that its numbers were fitted to a sample which had none.
    """

    labels: str
    sha256: str
    salt: str
    stretched: bool
    stay: int
    expected_to_stay: float
    come: int
    go: int
    no_longer_asked: int


@dataclass(frozen=True, slots=True)
class SampleDesign:
    """
    The design of a sample: in words, in numbers, and with the logs that it was drawn from.

    `absent` are keys that a design of an older version does not have, `more` those that this
    version does not know; both are kept so that a set is frozen with what was stored.
    """

    design: DesignName = "proportional"
    method: str = ""
    variance: str = ""
    cannot_say: str = ""
    seed: int = 0
    size: int = 0
    population: int = 0
    never_searched: int = 0
    searches: int = 0
    certainty: int = 0
    drawn: int = 0
    share_of_traffic: float = 0.0
    share_of_queries: float = 0.0
    effective_queries: float | None = None
    allocation: Mapping[str, Allotment] = field(default_factory=dict)
    strata: Mapping[str, DrawnPart] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    logs: tuple[Mapping[str, Any], ...] = ()
    window: SampleWindow | None = None
    refresh: Refresh | None = None
    absent: frozenset[str] = frozenset()
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "SampleDesign":
        """The design that was stored so. Raises InputError for what is none."""
        names = [each.name for each in fields(cls)][:-2]
        values = {name: found[name] for name in names if name in found}
        try:
            for name in ("by", "rules", "notes", "logs"):
                values[name] = tuple(found.get(name, ()))
            for name, made in (("allocation", Allotment), ("strata", DrawnPart)):
                values[name] = {key: made(**each) for key, each in found.get(name, {}).items()}
            if found.get("window") is not None:
                values["window"] = SampleWindow(**found["window"])
            if found.get("refresh") is not None:
                values["refresh"] = Refresh(**found["refresh"])
        except (TypeError, AttributeError) as error:
            raise InputError(f"The design of the sample cannot be read: {error}.") from None
        absent = frozenset(names) - found.keys() - {"refresh"}
        more = {name: value for name, value in found.items() if name not in names}
        return cls(**values, absent=absent, more=more)

    def to_json(self) -> dict[str, Any]:
        """The design as it is stored."""
        left_out = {"absent", "more", *self.absent}
        if self.refresh is None:
            left_out.add("refresh")
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
            if name not in left_out
        } | dict(self.more)
