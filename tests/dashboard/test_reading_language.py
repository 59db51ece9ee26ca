"""Raters read their own language: the pages where people rate are whole in Swahili and in Italian."""

import ast
import gettext
import re
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

from tests.dashboard.test_pages import text_of

ROOT = Path(__file__).parents[2] / "apps"
TEMPLATES = [
    ROOT / "dashboard/templates/dashboard/labelling" / name
    for name in ("rating.html", "queue.html", "queues.html", "parts/rating.html", "parts/drawn_from.html")
]
SOURCES = [
    ROOT / name
    for name in (
        "dashboard/labelling/queries/rating.py",
        "dashboard/labelling/views/rating.py",
        "dashboard/labelling/views/queues.py",
        "calibration/services/labelling.py",
        "calibration/services/rating_leases.py",
    )
]
CATALOGS = {language: sorted(ROOT.glob(f"*/locale/{language}/LC_MESSAGES/django.mo")) for language in ("sw", "it")}
TRANSLATED = {"_", "gettext", "gettext_lazy", "ngettext"}


def texts_of(source: str) -> set[str]:
    """The first text of each call that translates (of a plural, the singular)."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {
        str(node.args[0].value)
        for node in calls
        if isinstance(node.func, ast.Name)
        and node.func.id in TRANSLATED
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }


def texts_of_template(path: Path) -> set[str]:
    lines = templatize(path.read_text(), origin=str(path))
    calls = re.findall(r"\b(?:gettext|ngettext)\(\s*u?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", lines)
    return {str(ast.literal_eval(text)) for text in calls}


def translations(language: str) -> dict[str, str]:
    merged: dict[str, str] = {}
    for path in CATALOGS[language]:
        with path.open("rb") as file:
            catalog = gettext.GNUTranslations(file)._catalog
        merged |= {key if isinstance(key, str) else key[0]: text for key, text in reversed(catalog.items())}
    return merged


def written(path: Path) -> dict[str, str]:
    """The entries of a .po file with one line each."""
    entries = re.findall(r'^msgid "(.+)"\n(?:msgid_plural ".*"\n)?msgstr(?:\[0\])? "(.*)"$', path.read_text(), re.M)
    return {id.replace('\\"', '"'): text.replace('\\"', '"') for id, text in entries}


@pytest.mark.parametrize("language", ["sw", "it"])
def test_every_text_of_the_pages_where_people_rate_is_translated(language):
    needed = set().union(*map(texts_of_template, TEMPLATES), *(texts_of(path.read_text()) for path in SOURCES))
    known = translations(language)
    assert len(needed) > 90
    assert not {text for text in needed if not known.get(text)}


@pytest.mark.parametrize("path", [path for paths in CATALOGS.values() for path in paths], ids=str)
def test_the_compiled_catalog_says_what_the_readable_one_says(path):
    language = path.parts[-3]
    texts, known = written(path.with_suffix(".po")), translations(language)
    assert texts
    assert {text: known[text] for text in texts} == texts


@pytest.mark.parametrize("language", ["sw", "it"])
def test_placeholders_stand_in_the_translation_too(language):
    names = re.compile(r"%\((\w+)\)[sd]|OPEN|ALL")
    for text, translated in translations(language).items():
        if text:
            assert sorted(map(str, names.findall(text))) == sorted(map(str, names.findall(translated))), text


def test_the_browsers_language_is_read_and_the_rest_of_the_window_stays_english(owner):
    assert "Niente aspetta la tua valutazione" in text_of(owner.get("/labelling/", headers={"accept-language": "it"}))
    assert "No labelling round is open" in text_of(owner.get("/calibration/", headers={"accept-language": "it"}))
    assert "Nothing waits for your rating" in text_of(owner.get("/labelling/", headers={"accept-language": "fr"}))


def test_a_person_chooses_the_language_on_the_page(owner):
    answer = owner.post("/labelling/language/", {"language": "sw", "next": "/labelling/"})
    assert (answer.status_code, answer["Location"]) == (302, "/labelling/")
    shown = owner.get("/labelling/", headers={"accept-language": "it"})
    assert "Hakuna kinachosubiri alama zako" in text_of(shown)
    assert 'lang="sw" aria-current="true"' in " ".join(shown.content.decode().split())
    assert "Bado hakuna foleni ya mapitio" in text_of(owner.get("/labelling/queues/"))


def test_an_unknown_language_changes_nothing(owner):
    owner.post("/labelling/language/", {"language": "xx", "next": "/labelling/"})
    assert "Nothing waits for your rating" in text_of(owner.get("/labelling/"))
