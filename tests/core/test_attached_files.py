"""A document's `path` is opened beside the document, by a command, and nowhere else."""

import ast
import hashlib
import json
import os
from pathlib import Path

import pytest

import apps
from apps.core.attached_files import MAX_BYTES, read_beside
from apps.core.conversation import Attachment
from apps.core.document_parsing import document_as_json, parse_document
from apps.core.errors import BadInput


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "golden"
    (inside / "attachments").mkdir(parents=True)
    (inside / "attachments" / "Zelle.pdf").write_bytes(b"%PDF")
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "link").symlink_to("../secret.txt")
    (inside / "here").symlink_to(".")
    (inside / "large").write_bytes(b"x" * (MAX_BYTES + 1))
    os.mkfifo(inside / "pipe")
    return inside


def test_a_file_beside_the_document_is_read_with_its_digest(folder: Path) -> None:
    found = read_beside(folder, "attachments/Zelle.pdf", sha256=hashlib.sha256(b"%PDF").hexdigest())
    assert (found.name, found.content, found.kind) == ("Zelle.pdf", b"%PDF", "application/pdf")
    assert "PDF" not in repr(found).replace("Zelle.pdf", "")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "../secret.txt", "attachments/../../secret.txt", "attachments/../attachments/Zelle.pdf", "link",
        "here/attachments/Zelle.pdf", "attachments", "", ".", "nothing.pdf", "pipe", "large", "C:\\x", "a\\..\\b",
        "a\0b", "attachments/Zelle.pdf/x", "x" * 5_000,
    ],
)  # fmt: skip
def test_nothing_else_is_opened(folder: Path, path: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_beside(folder, path, pointer="/turns/0/attachments/0/path")
    assert (caught.value.code, caught.value.pointer) == ("bad_attachment", "/turns/0/attachments/0/path")


def test_another_file_than_the_document_means_is_refused(folder: Path) -> None:
    with pytest.raises(BadInput, match="is not the file the document means"):
        read_beside(folder, "attachments/Zelle.pdf", sha256="0" * 64)


def test_a_path_in_a_document_is_not_kept(tmp_path: Path) -> None:
    raw = {"id": "a", "turns": [{"role": "user", "content": "", "attachments": [{"name": "a", "path": "/etc/passwd"}]}]}
    document = parse_document(raw)
    assert document.turns[0].attachments == (Attachment(name="a"),)
    assert "/etc/passwd" not in json.dumps(document_as_json(document))


def test_connectors_open_no_file() -> None:
    for source in (Path(apps.__file__).parent / "connectors" / "agents").glob("*.py"):
        tree = list(ast.walk(ast.parse(source.read_text())))
        names = {node.id for node in tree if isinstance(node, ast.Name)}
        attributes = {node.attr for node in tree if isinstance(node, ast.Attribute)}
        assert not names & {"open", "Path"}, source.name  # `open` of a conversation is no file's
        assert not attributes & {"read_bytes", "read_text"}, source.name
