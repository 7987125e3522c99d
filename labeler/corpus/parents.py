"""
Parents that front matter names, looked up among the pages -> the path above each page.

Some sites name only the page right above, by its title, slug or address, and leave the rest
to that page's own front matter. It knows no file: what pages say of themselves comes in.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from evaluator.text.messages import counted, first_few
from labeler.corpus.front_matter import FrontMatter

FOLDER_PAGES = frozenset({"index", "_index", "readme"})
_ADDRESS = re.compile(r"^\.{0,2}/|/$|\.(?:md|markdown|html?)$", re.I)
_SUFFIX = re.compile(r"\.(?:md|markdown|html?)$", re.I)


@dataclass(frozen=True, slots=True)
class Above:
    """The titles above each document that has parents, outermost first, and what was noticed."""

    path_by_document: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def paths_above(front_by_document: Mapping[str, FrontMatter], title: Callable[[str], str]) -> Above:
    """
    The whole path above every page that names parents.

    Of a page's own parents the innermost counts first: where it is a page of the corpus with
    parents of its own, those stand above it, and so on; else the next one does.

    A parent is an address when it begins or ends with a slash or ends like a file: it means
    the page at that place or with that `permalink`, from the page's own folder or, as sites
    have it, from whatever folder the site begins in. Else it means the page with that title
    (of several, the one that names the same parent as stands before it), or the only page
    whose `slug` or file it is. The path gets the title of the page that was found.

    A parent that no page or several pages can be stays as a word; an address is no word and
    goes. Pages above each other in a circle are followed once. All of these are warned of.
    """
    lookup = _Lookup(front_by_document, title)
    named = (doc_id for doc_id, front in front_by_document.items() if front.parents)
    paths = {doc_id: tuple(lookup.path(doc_id)) for doc_id in named}
    return Above(paths, tuple(lookup.warnings()))


class _Lookup:
    def __init__(
        self, front_by_document: Mapping[str, FrontMatter], title: Callable[[str], str]
    ) -> None:
        self._fronts, self._title = front_by_document, title
        self._by_title: dict[str, list[str]] = defaultdict(list)
        self._by_last_step: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for doc_id, front in front_by_document.items():
            for name in dict.fromkeys(map(_plain, front.names)):
                self._by_title[name].append(doc_id)
            for steps in {_steps(doc_id), *(_steps(each) for each in front.addresses)}:
                self._by_last_step[steps[-1] if steps else ""].append((steps, doc_id))
        self._own: dict[str, tuple[list[str], str | None]] = {}
        self._words: Counter[str] = Counter()
        self._lost: list[str] = []
        self._several: list[str] = []
        self._circles: dict[frozenset[str], list[str]] = {}

    def path(self, doc_id: str) -> list[str]:
        path: list[str] = []
        passed = [doc_id]
        while True:
            if passed[-1] not in self._own:
                self._own[passed[-1]] = self._own_path(passed[-1])
            own, page_above = self._own[passed[-1]]
            if page_above in passed:
                circle = passed[passed.index(page_above) :]
                self._circles.setdefault(frozenset(circle), [*circle, page_above])
                return own[1:] + path
            path = own + path
            if page_above is None:
                return path
            passed.append(page_above)

    def _own_path(self, doc_id: str) -> tuple[list[str], str | None]:
        """The steps of a page's own parents up to one that has parents itself, and that page."""
        path: list[str] = []
        parents = self._fronts[doc_id].parents
        for number in reversed(range(len(parents))):
            parent = parents[number]
            found = self._find(parent, doc_id, parents[number - 1] if number else None)
            if found is not None:
                path.insert(0, self._title(found))
                if self._fronts[found].parents:
                    return path, found
            elif not _ADDRESS.search(parent):
                path.insert(0, parent)
        return path, None

    def _find(self, parent: str, doc_id: str, outer: str | None) -> str | None:
        if _ADDRESS.search(parent):
            found = self._at(parent, doc_id)
            if found is None:
                self._lost.append(f"{doc_id}: {parent}")
            return found
        titled = self._by_title.get(_plain(parent), [])
        if len(titled) > 1:
            titled = [each for each in titled if each != doc_id]
        if len(titled) > 1 and outer is not None:
            parent_names = {each: map(_plain, self._fronts[each].parents) for each in titled}
            below = [each for each in titled if _plain(outer) in parent_names[each]]
            titled = below or titled
        if len(titled) > 1:
            self._several.append(f"{doc_id}: {parent!r} ({first_few(titled, most=2)})")
            return None
        found = titled[0] if titled else self._at(parent, doc_id)
        if found is None:
            self._words[parent] += 1
        return found

    def _at(self, address: str, doc_id: str) -> str | None:
        """The page at an address, if that is one page."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(doc_id), address))
        tries = [_steps(beside)] if not address.startswith("/") else []
        if not address.startswith("."):
            tries.append(_steps(address))
        for steps in tries:
            known = self._by_last_step.get(steps[-1] if steps else "", [])
            exact = {page for place, page in known if place == steps}
            if len(exact) == 1:
                return exact.pop()
        ending = {page for place, page in known if steps and place[-len(steps) :] == steps}
        return ending.pop() if len(ending) == 1 and not address.startswith(".") else None

    def warnings(self) -> Iterator[str]:
        if self._words:
            listed = [f"{word!r} ({times})" for word, times in self._words.most_common()]
            yield (
                f"{counted(len(self._words), 'parent')} in front matter that no page is called, "
                f"so only words: {first_few(listed)}"
            )
        if self._lost:
            documents = counted(len(self._lost), "document")
            yield f"{documents} with a parent at an address without a page: {first_few(self._lost)}"
        if self._several:
            documents = counted(len(self._several), "document")
            yield (
                f"{documents} with a parent that several pages are called, so with no path above "
                f"that: {first_few(self._several)}"
            )
        if self._circles:
            listed = [" > ".join(circle) for circle in self._circles.values()]
            circles = counted(len(listed), "circle")
            yield f"{circles} of pages that stand above themselves, ended: {first_few(listed)}"


def _plain(title: str) -> str:
    return " ".join(title.casefold().split())


def _steps(address: str) -> tuple[str, ...]:
    """The folders and the page of an address, without what sites leave out of addresses."""
    plain = re.split(r"[?#]", address, maxsplit=1)[0].casefold()
    steps = [step for step in plain.split("/") if step not in ("", ".")]
    while steps and _SUFFIX.search(steps[-1]):
        steps[-1] = _SUFFIX.sub("", steps[-1])
    return tuple(steps[:-1] if steps and steps[-1] in FOLDER_PAGES else steps)
