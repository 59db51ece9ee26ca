"""report.html of a gate: one file that needs nothing and obeys nobody, with what the page shows."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from apps.core.errors import BadInput
from apps.gates.services.gate_files import gate_html, write_gate_files
from tests.gates.domain.test_escaping import HOSTILE, gate

_ALLOWED = {"html", "head", "meta", "title", "style", "body", "header", "p", "h1", "h2", "span", "a", "ol", "li",
            "strong", "table", "thead", "tbody", "tr", "th", "td"}  # fmt: skip


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("href", "src", "action")}


def document(text: str) -> dict[str, object]:
    more = {"blocks": True, "decided_at": "2026-11-22T10:00:00Z", "pull_request": text, "first_missing_link": None,
            "fingerprint": "f" * 64, "budget_usd": 20.0, "markdown": "# x\n"}  # fmt: skip
    return {**gate(text), **more}


@pytest.mark.parametrize("text", HOSTILE)
def test_the_file_has_our_elements_only_and_loads_nothing(text: str) -> None:
    shown = gate_html(document(text)).decode()
    found = Elements(shown)
    assert found.names <= _ALLOWED
    assert found.links <= {"https://x.test/c/", "https://x.test/gates/1/"}
    assert not {name for name in found.attributes if name.startswith("on")}
    assert "default-src 'none'; style-src 'unsafe-inline'" in shown
    assert "url(" not in shown
    assert "@import" not in shown


def test_the_three_files_stand_beside_each_other(tmp_path: Path) -> None:
    made = document("a case")
    written = write_gate_files(made, tmp_path / "new" / "folder")
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == sorted(written)
    assert json.loads(Path(written["report.json"]).read_text()) == made
    before = Path(written["report.html"]).read_bytes()
    write_gate_files(made, tmp_path / "new" / "folder")
    assert Path(written["report.html"]).read_bytes() == before
    with pytest.raises(BadInput, match="cannot write into"):
        write_gate_files(made, Path(written["report.json"]))
