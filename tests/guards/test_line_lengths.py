"""Pages, styles and scripts are read line by line too, so their lines are as short as Python's."""

import re
from pathlib import Path

from tests.guards.source import ROOT, place

LIMIT = 120
FOLDERS = ("apps", "ratiba_eval", "templates")
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}")
ATTRIBUTE = re.compile(r'"[^"]*"')


def lines_over_the_limit(pattern: str) -> list[tuple[Path, int, str]]:
    paths = [
        path for folder in FOLDERS for path in sorted((ROOT / folder).rglob(pattern)) if "vendor" not in path.parts
    ]
    assert paths, pattern
    return [
        (path, number, line.strip())
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LIMIT
    ]


def can_be_broken(line: str) -> bool:
    """Whether a blank stands outside of tags and of attributes' values. Django reads a tag on one line only, and a
    blank where none was is seen on the page."""
    return bool(re.search(r"\s", ATTRIBUTE.sub("_", TAG.sub("_", line))))


def test_templates_have_no_line_that_could_be_shorter():
    wrong = [
        f"{place(path)}:{number}: {len(line)}"
        for path, number, line in lines_over_the_limit("*.html")
        if can_be_broken(line)
    ]
    assert not wrong, "make format"


def test_styles_and_scripts_have_no_long_line():
    found = [*lines_over_the_limit("*.css"), *lines_over_the_limit("*.js")]
    wrong = [f"{place(path)}:{number}" for path, number, _ in found]
    assert not wrong, "make format; a comment is broken by hand"


def test_a_long_tag_is_let_through_and_a_long_row_is_not():
    sentence = "word " * 40
    assert not can_be_broken(f'{{% empty "{sentence}" %}}{{% endempty %}}')
    assert not can_be_broken(f'href="{{% url "run" run.pk %}}?{sentence}"')
    assert can_be_broken(f"<p>{sentence}</p>")
    assert can_be_broken('{% badge "a" %} {% badge "b" %}')
