"""YAML in and out, with line numbers: what people write catalogs in.

Safe types only; a key that stands twice and a file that explodes through aliases are refused.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from apps.core.errors import BadInput

MAX_NODES = 200_000
_ODD_BREAKS = "\r\x85\u2028\u2029\ufeff"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser where the wheel has it: ten times faster


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
            found = _child(node, raw.replace("~1", "/").replace("~0", "~"))
            if found is None:
                break
            line, node = found
        return line + 1


def load(text: str, file: str) -> list[YamlDocument]:
    """All documents of a YAML (or JSON) text. Raises BadInput naming file and line; pure."""
    try:
        nodes: list[yaml.Node | None] = list(yaml.compose_all(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{file}, line {mark.line + 1}" if mark else file
        problem = getattr(error, "problem", None) or str(error)
        raise BadInput(f"{where}: not YAML: {problem}", file=file, line=mark.line + 1 if mark else None) from error
    documents = []
    for node in nodes:
        if node is None:
            continue
        _guard(node, file)
        documents.append(YamlDocument(file=file, value=_construct(node, file), node=node))
    return documents


def dump(value: Mapping[str, Any]) -> str:
    """The same data as YAML text: keys in the order given, long texts as blocks. The same data, the same bytes."""
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


def _construct(node: yaml.Node, file: str) -> Any:
    try:
        loader = yaml.SafeLoader("")
        return loader.construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError) as error:
        mark = getattr(error, "problem_mark", None) or node.start_mark
        problem = getattr(error, "problem", None) or str(error)
        raise BadInput(f"{file}, line {mark.line + 1}: {problem}", file=file, line=mark.line + 1) from error


def _guard(root: yaml.Node, file: str) -> None:
    """Refuse doubled keys, and more than MAX_NODES values counting what aliases repeat."""
    for count, node in enumerate(_walk(root, ()), start=1):
        if count > MAX_NODES:
            raise BadInput(f"{file}: more than {MAX_NODES:,} values (aliases counted)", file=file)
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    line = key.start_mark.line + 1
                    raise BadInput(f"{file}, line {line}: {key.value!r} stands twice here", file=file, line=line)
                seen.add(str(key.value))


def _walk(node: yaml.Node, above: tuple[int, ...]) -> Iterator[yaml.Node]:
    if id(node) in above or len(above) > 100:
        line = node.start_mark.line + 1
        raise BadInput(f"line {line}: nested too deeply, or a value that contains itself", line=line)
    yield node
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _walk(item, (*above, id(node)))
    elif isinstance(node, yaml.MappingNode):
        for _, item in node.value:
            yield from _walk(item, (*above, id(node)))


def _child(node: yaml.Node, key: str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == key:
                return name.start_mark.line, value
    if isinstance(node, yaml.SequenceNode) and key.isdigit() and int(key) < len(node.value):
        value = node.value[int(key)]
        return value.start_mark.line, value
    return None
