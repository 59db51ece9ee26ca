"""Words in packed files of the state folder go, too; what cannot be opened is named and left as it was."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path
from typing import Any

import pytest

from apps.erasure.domain.receipt import Receipt
from apps.erasure.domain.subject import DataSubject
from apps.erasure.services import packed_files
from apps.erasure.services.files import erase_in_files
from apps.tenants.context import in_tenant

PHONE, NAME = "0712 345 678", "Zawadi Kiprono"
TEXT = f"id,reason\n1,{NAME} was late, {PHONE}\n2,nobody\n".encode()


@pytest.fixture(autouse=True)
def state(tenant: str, settings: Any, tmp_path: Path) -> Path:
    settings.STATE_DIR, settings.LOG_DIR, settings.BASE_DIR = tmp_path, tmp_path / "log", tmp_path / "code"
    return tmp_path


def erase(*, write: bool = True) -> Receipt:
    receipt = Receipt()
    erase_in_files(DataSubject(phone=PHONE, names=[NAME]), receipt, everywhere=True, write=write)
    return receipt


def zipped(**members: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return packed.getvalue()


@pytest.mark.parametrize("form", [gzip, bz2, lzma])
def test_words_in_a_packed_file_go_and_the_rest_stays(state: Path, form: Any):
    path = state / ("rows.csv" + {gzip: ".gz", bz2: ".bz2", lzma: ".xz"}[form])
    path.write_bytes(form.compress(TEXT))
    assert erase(write=False).files == {path.name: 2}
    assert form.decompress(path.read_bytes()) == TEXT, "a dry run changes nothing"
    receipt = erase()
    assert (receipt.files, receipt.unreadable) == ({path.name: 2}, [])
    left = form.decompress(path.read_bytes())
    assert (NAME.encode() in left, b"345 678" in left, b"2,nobody" in left, len(left)) == (
        False,
        False,
        True,
        len(TEXT),
    )
    assert [one.name for one in state.iterdir() if one.is_file()] == [path.name], "no copy is left"


def test_each_file_of_an_archive_is_searched(state: Path):
    path = state / "export.zip"
    path.write_bytes(zipped(a__csv=TEXT, b__txt=b"nothing", c__xml=f"<t>{NAME}</t>".encode()))
    assert erase().files == {"export.zip": 3}
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["a.csv", "b.txt", "c.xml"]
        assert (archive.read("b.txt"), NAME.encode() in archive.read("c.xml")) == (b"nothing", False)


@pytest.mark.parametrize(
    "content",
    [b"no archive", zipped(inner__gz=gzip.compress(TEXT)), zipped(**{NAME: b"x"}), zipped(a__csv=TEXT)[:-30]],
    ids=["broken", "packed in a pack", "a name in a name", "cut off"],
)
def test_what_cannot_be_opened_is_named_and_stays_as_it_is(state: Path, content: bytes):
    path = state / "export.zip"
    path.write_bytes(content)
    assert erase().unreadable == ["export.zip"]
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["bomb.gz", "bomb.zip"])
def test_a_bomb_is_named_and_not_unpacked(state: Path, monkeypatch: Any, name: str):
    monkeypatch.setattr(packed_files, "MAX_BYTES", 10_000)
    zeros = b"\0" * 20_000
    (state / name).write_bytes(gzip.compress(zeros) if name.endswith("gz") else zipped(a=zeros[:6000], b=zeros[:6000]))
    assert erase().unreadable == [name]


def test_a_file_that_is_cut_off_is_left_as_it_was(state: Path):
    path = state / "rows.gz"
    path.write_bytes(gzip.compress(TEXT)[:-12])
    before = path.read_bytes()
    assert erase().unreadable == ["rows.gz"]
    assert path.read_bytes() == before


def test_an_owner_opens_neither_another_tenants_folder_nor_names_of_nobodys_file(
    db: None, settings: Any, tmp_path: Path
) -> None:
    settings.STATE_DIR = tmp_path / "acme" / "beta"
    settings.LOG_DIR = settings.STATE_DIR / "log"
    said = f"{NAME} called from {PHONE}\n"
    for place in ("exports/beta/rows.csv", "exports/acme/rows.csv", "exports/rows.csv"):
        file = settings.STATE_DIR / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(said)
    receipt = Receipt()
    with in_tenant("acme"):
        erase_in_files(DataSubject(phone=PHONE, names=[NAME]), receipt, everywhere=False, write=True)
    after = {path.parent.name: path.read_text() for path in settings.STATE_DIR.rglob("rows.csv")}
    assert after["beta"] == said
    assert NAME in after["exports"]
    assert PHONE not in after["exports"]
    assert NAME not in after["acme"]
