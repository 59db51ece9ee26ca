"""Read and write YAML with line numbers: people write catalogs in it. Whatever takes YAML uses this reader.

It reads safe types only, and refuses a key that occurs twice. It counts size and depth, with what aliases repeat, on
the parser's events, which come one by one and without recursion; only then does it compose a tree.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from apps.core.errors import BadInput

MAX_CHARS = 10_000_000
MAX_NODES = 200_000
_CHARS_A_VALUE = 100  # a long text counts as several values: aliases can repeat it too
MAX_DEPTH = 100  # composing and constructing take a few Python frames a level, and Python has 1,000
MAX_DIGITS = 300  # as in core.json_hygiene; a file may write it as 1:60:60:…, which has no digits to count
_ODD_BREAKS = "\r\x85\u2028\u2029\ufeff"
# The C parser where the wheel has it: ten times faster.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Core(_LOADER):
    """Bare words as YAML 1.2 reads them: `12:30`, `no` and `2026-11-28` are texts. What people write with a zero or a
    plus in front (0712…, +254…) is no number either: it stays as it stands."""

    yaml_implicit_resolvers: dict[str | None, Any] = {}


for _tag, _words, _firsts in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"-?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+", "-0123456789"),
    ("float", r"-?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|-?\.inf|\.nan", "-.0123456789"),
    ("merge", "<<", "<"),
):
    _Core.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_words})$"), list(_firsts))


@dataclass(frozen=True)
class YamlDocument:
    """One document of a file: plain data, and where each part of it stands."""

    file: str
    value: Any
    node: yaml.Node

    def line(self, pointer: str) -> int:
        """The line (from 1) of the value a JSON pointer names, or of the nearest part that is there."""
        node: yaml.Node = self.node
        line = node.start_mark.line
        for raw in pointer.split("/")[1:]:
            child = _child(node, raw.replace("~1", "/").replace("~0", "~"))
            if child is None:
                break
            line, node = child
        return line + 1


def plain_document(value: Any, file: str) -> YamlDocument:
    """A document of what is data already: errors name its file and pointers, and line 1. Pure."""
    mark = yaml.Mark(file, 0, 0, 0, None, 0)
    return YamlDocument(file=file, value=value, node=yaml.MappingNode("", [], mark, mark))


def load(text: str, file: str, *, foreign: bool = False) -> list[YamlDocument]:
    """All documents of a YAML (or JSON) text; `foreign`: written for another tool, which reads YAML 1.2. Raises
    BadInput naming file and line; pure.

    About 3 MB/s, half of it for counting before composing.
    """
    if len(text) > MAX_CHARS:
        raise BadInput(f"{file}: {len(text):,} characters, the limit is {MAX_CHARS:,}: split the file", file=file)
    try:
        _Measured(file).read(text)
        nodes: list[yaml.Node | None] = list(yaml.compose_all(text, Loader=_Core if foreign else _LOADER))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise _fault(file, mark, f"not YAML: {problem}") from error
    except UnicodeEncodeError as error:  # the C parser wants UTF-8
        raise BadInput(f"{file}: half of a surrogate pair: write the whole character", file=file) from error
    documents = []
    for node in nodes:
        if node is None:
            continue
        _check_keys(node, file)
        documents.append(YamlDocument(file=file, value=_construct(node, file), node=node))
    return documents


def dump(value: Mapping[str, Any]) -> str:
    """Write data as YAML text: keys in the order given, long texts as blocks. Equal data gives equal bytes."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=118, default_flow_style=False)


class _Dumper(yaml.SafeDumper):
    """No aliases (a shared value is written out), and lists set in below their key."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    if any(character in _ODD_BREAKS for character in value):
        style: str | None = '"'  # escaped there; elsewhere they would be read back as line ends
    else:
        style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def _fault(file: str, mark: Any, problem: str) -> BadInput:
    line = mark.line + 1 if mark is not None else None
    return BadInput(f"{file}, line {line}: {problem}" if line else f"{file}: {problem}", file=file, line=line)


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet: values in it so far, and how many levels stand below it."""

    anchor: str | None
    values: int = 1
    height: int = 0


@dataclass(slots=True)
class _Measured:
    """Counts values and levels of a text from its events; an alias counts as all that it repeats."""

    file: str
    _values: int = 0  # of the documents before this one
    _open: list[_Open] = field(default_factory=list)
    _anchors: dict[str, _Open | None] = field(default_factory=dict)  # None: not closed yet

    def read(self, text: str) -> None:
        """Check a text's size and depth.

        Raises BadInput at the first value too many or too deep, YAMLError for a text that is no YAML. No recursion.
        """
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors.clear()
            elif isinstance(event, yaml.CollectionStartEvent):
                self._enter(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._leave(event)
            elif isinstance(event, yaml.ScalarEvent):
                self._add(_Open(event.anchor, 1 + len(event.value) // _CHARS_A_VALUE), event)
            elif isinstance(event, yaml.AliasEvent):
                self._repeat(event)

    def _enter(self, event: yaml.CollectionStartEvent) -> None:
        self._open.append(_Open(event.anchor))
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if len(self._open) > MAX_DEPTH:
            raise _fault(self.file, event.start_mark, f"nested too deeply: {MAX_DEPTH} levels are allowed")

    def _leave(self, event: yaml.Event) -> None:
        self._add(self._open.pop(), event)

    def _repeat(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self._anchors:
            raise _fault(self.file, event.start_mark, f"the alias *{event.anchor} has no anchor before it")
        repeated = self._anchors[event.anchor]
        if repeated is None:
            raise _fault(self.file, event.start_mark, f"*{event.anchor} stands inside itself")
        self._add(_Open(None, repeated.values, repeated.height), event)

    def _add(self, closed: _Open, event: yaml.Event) -> None:
        if closed.anchor is not None:
            self._anchors[closed.anchor] = closed
        height, values = closed.height, closed.values
        if self._open:
            above = self._open[-1]
            above.values, above.height = above.values + values, max(above.height, height + 1)
            values = above.values
        else:
            self._values += values
        if len(self._open) + height > MAX_DEPTH:
            raise _fault(self.file, event.start_mark, f"nested too deeply: {MAX_DEPTH} levels are allowed")
        if max(values, self._values) > MAX_NODES:
            raise _fault(
                self.file, event.start_mark, f"more than {MAX_NODES:,} values (aliases counted; a long text is several)"
            )


def _construct(node: yaml.Node, file: str) -> Any:
    try:
        loader = yaml.SafeLoader("")
        return loader.construct_document(node)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None) or node.start_mark
        raise _fault(file, mark, getattr(error, "problem", None) or str(error)) from error
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:  # PyYAML on `!!bool maybe` and the like
        raise _fault(file, node.start_mark, "a value is not what its tag (!!…) says") from error


def _check_keys(root: yaml.Node, file: str) -> None:
    """Refuse keys that are no plain value or stand twice, and numbers too long to be kept."""
    for node in _each(root):
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise _fault(file, key.start_mark, "a list or mapping cannot be a key")
                if key.value in seen:
                    raise _fault(file, key.start_mark, f"{key.value[:200]!r} stands twice here")
                seen.add(key.value)
        elif (
            isinstance(node, yaml.ScalarNode) and len(node.value) > MAX_DIGITS and node.tag.endswith((":int", ":float"))
        ):
            raise _fault(file, node.start_mark, f"a number of more than {MAX_DIGITS} characters")


def _each(root: yaml.Node) -> Iterator[yaml.Node]:
    """Every node once, however often aliases repeat it, in the order of the file."""
    stack, met = [root], {id(root)}
    while stack:
        node = stack.pop()
        yield node
        below: list[yaml.Node] = []
        if isinstance(node, yaml.SequenceNode):
            below = list(node.value)
        elif isinstance(node, yaml.MappingNode):
            below = [part for pair in node.value for part in pair]
        for child in reversed(below):
            if id(child) not in met:
                met.add(id(child))
                stack.append(child)


def _child(node: yaml.Node, key: str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == key:
                return name.start_mark.line, value
    if isinstance(node, yaml.SequenceNode) and key.isdigit() and int(key) < len(node.value):
        value = node.value[int(key)]
        return value.start_mark.line, value
    return None
