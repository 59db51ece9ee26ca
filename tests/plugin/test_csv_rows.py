"""`vars:` from a CSV file, as spreadsheets write it: what is read, and which line is named where it cannot be."""

import pytest

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.scenarios import read_scenarios

YAML = "id: s\nlanguage: en\nvars: {name}\nturns: ['Hi {{{{ day }}}}', {{end: true}}]\n"


def cases(folder, content, name="days.csv"):
    (folder / "ratiba.yaml").write_text("scenarios: talks\n")
    talks = folder / "talks"
    talks.mkdir(exist_ok=True)
    (talks / "days.csv").write_bytes(content)
    (talks / "s.yaml").write_text(YAML.format(name=name))
    read = read_scenarios(talks / "s.yaml", layer=4).scenarios
    return {case.id: case.document["turns"][0] for case in read}


@pytest.mark.parametrize(
    "content, expected",
    [
        (b"\xef\xbb\xbfday,id\r\nFriday,a\r\n", {"s.a": "Hi Friday"}),
        (b"day;id\nFriday;a b\n", {"s.a-b": "Hi Friday"}),
        (b"day\tid\nFriday\ta\n", {"s.a": "Hi Friday"}),
        (b"day, id\nFriday, a\n", {"s.a": "Hi Friday"}),
        (b"day,id\n\nFriday,\n,\nSunday,\n", {"s.v1": "Hi Friday", "s.v2": "Hi Sunday"}),
        (b'day\n"Fri\nday, ""x"""\n', {"s.v1": 'Hi Fri\nday, "x"'}),
    ],
)
def test_what_a_spreadsheet_writes_is_read(tmp_path, content, expected):
    assert cases(tmp_path, content) == expected


@pytest.mark.parametrize(
    "content, says",
    [
        (b"dy\nFriday\n", "s.yaml:4: /turns/0: there is no variable 'day'; there are: dy"),
        (b"day,id\nFriday,a\nSunday,a\n", "days.csv:3: an earlier row is called 'a', too"),
        (b"day,id\nFriday,v2\nSunday,\n", "days.csv:3: an earlier row is called 'v2', too"),
        (b"day,day\nFriday,a\n", "days.csv:1: two columns are called 'day'"),
        (b"day,\nFriday,a\n", "days.csv:1: column 2 has no name"),
        (b'day\nFriday\n"Sunday\n', "days.csv:3: is not CSV: unexpected end of data"),
        ("day\nFriday\ncaf\u00e9\n".encode("latin-1"), "days.csv:3: is not UTF-8"),
        ("day\nFriday\n".encode("utf-16"), "days.csv:1: is not UTF-8"),
        (b"day\nFri\0day\n", "days.csv:2: holds a NUL character"),
        (b'day,hour\n"a\nb",1\nFriday\n', "days.csv:4: has 1 fields, the first line has 2"),
        (b"day\nFriday,9\n", "days.csv:2: has 2 fields, the first line has 1"),
        (b"", "days.csv:1: is empty"),
        (b"day\n", "days.csv:1: has no rows"),
        (b"day,scenario\nFriday,a\n", "days.csv:2: 'scenario' is filled in by the server"),
        (b"day,id\nFriday,...\n", "days.csv:2: the id '...' makes no name"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, content, says):
    with pytest.raises(ProjectError) as caught:
        cases(tmp_path, content)
    assert says in str(caught.value)


def test_a_file_is_found_beside_the_scenario_and_from_the_projects_folder(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "rows.csv").write_text("day\nFriday\n")
    assert cases(tmp_path, b"", "tests/rows.csv") == {"s.v1": "Hi Friday"}
    (tmp_path / "days.csv").write_text("day\nFriday\n")
    assert cases(tmp_path, b"day\nSunday\n", "days.csv") == {"s.v1": "Hi Sunday"}, "the one beside it"


def test_files_of_others_are_not_read(tmp_path):
    (tmp_path / "outside.csv").write_text("day\nFriday\n")
    project = tmp_path / "project"
    project.mkdir()
    for name in ("../../outside.csv", str(tmp_path / "outside.csv")):
        with pytest.raises(ProjectError, match=r"s.yaml:3: /vars: .* is outside of the project"):
            cases(project, b"", name)
    (project / "talks" / "linked.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(ProjectError, match="outside of the project"):
        cases(project, b"", "linked.csv")
    (project / "days.csv").write_text("day\nFriday\n")
    assert cases(project, b"", "../days.csv") == {"s.v1": "Hi Friday"}
