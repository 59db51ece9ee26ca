"""Label files: read strictly, written masked, and the same when read again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.calibration.domain.agreement_with_people import Kappa
from apps.calibration.domain.labels import HumanRating, LabelledItem, LabelSet
from apps.calibration.domain.labels_reading import read_labels, write_labels
from apps.core.errors import BadInput
from apps.evaluations.figures.domain.rating_scale import read_scale
from tests.shared_data import SHARED

DATA = SHARED / "data"
GOOD = """\
scale: 1-5
decides: quadratic
items:
  - id: c-1
    language: sw
    turns:
      - {role: user, content: "Namba yangu ni 0712 345 678"}
      - {role: assistant, content: "Asante!"}
    ratings:
      response_naturalness:
        - {rater: amina, value: 4, reason: "Simu 0712345678 ilirudiwa"}
        - 3
        - null
        - {rater: juma, value: N/A}
"""


def problems(text, file="labels.yaml"):
    with pytest.raises(BadInput) as caught:
        read_labels(text, file=file)
    assert caught.value.code == "bad_labels"
    return caught.value.extra["problems"]


def test_a_key_that_stands_twice_in_a_line_is_named():
    (found,) = problems('{"id": "a", "turns": [{"role": "user", "role": "assistant"}]}\n', file="labels.jsonl")
    assert (found["pointer"], found["line"]) == ("/1/turns/0/role", 1)


def test_a_rating_off_its_scale_is_named_by_line_and_field():
    found = problems(GOOD.replace("- 3\n", "- 7\n"))
    assert found == [
        {
            "line": 12,
            "pointer": "/items/0/ratings/response_naturalness/1",
            "message": "7 is not on the scale 1-5",
        }
    ]


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("scale: 1-5", "scale: 5", "a scale is written"),
        ("scale: 1-5", "scael: 1-5", "unknown field"),
        ("decides: quadratic", "decides: cubic", "one of unweighted, linear, quadratic"),
        ("decides: quadratic", "bins: {other: {1: 0}}", "names a labelled criterion"),
        ("id: c-1", "name: c-1", "is missing"),
        ("value: 4", "vaule: 4", "unknown field"),
        ("rater: juma", "rater: amina", "a rater stands here twice"),
        ("role: user", "role: boss", "role"),
        ("value: 4", "value: true", "True is not on the scale"),
        ("value: 4", "value: 4.5", "4.5 is not on the scale"),
    ],
)
def test_what_is_wrong_is_said(old, new, said):
    assert any(said in one["message"] for one in problems(GOOD.replace(old, new)))


def test_the_same_conversation_twice_is_refused():
    assert "already" in problems(GOOD + GOOD.split("items:\n")[1])[0]["message"]


def test_a_file_is_read_masked():
    labels = read_labels(GOOD, file="labels.yaml")
    item = labels.items[0]
    assert labels.decides == {"response_naturalness": Kappa.QUADRATIC}
    assert [(one.rater, one.value) for one in item.ratings["response_naturalness"]] == [
        ("amina", 4), ("", 3), ("", None), ("juma", None),
    ]  # fmt: skip
    assert "345" not in item.document.turns[0].content
    assert "0712345678" not in write_labels(labels)
    assert "+254 7** *** 678" in item.ratings["response_naturalness"][0].reason


def test_what_is_written_reads_back_as_the_same_labels():
    labels = read_labels(GOOD, file="labels.yaml")
    again = read_labels(write_labels(labels), file="again.yaml")
    assert again == labels
    assert LabelSet.from_json(json.loads(json.dumps(labels.as_json()))).as_json() == labels.as_json()


@given(
    st.lists(
        st.lists(st.tuples(st.one_of(st.none(), st.integers(1, 5)), st.text(max_size=30)), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_any_labels_survive_a_round_trip(rows):
    items = tuple(
        LabelledItem(
            id=f"c-{place}",
            language="en",
            ratings={
                "x": tuple(HumanRating(value=value, reason=text, rater=f"r{n}") for n, (value, text) in enumerate(row))
            },
        )
        for place, row in enumerate(rows)
    )
    written = write_labels(LabelSet(items=items, scales={"x": read_scale("1-5")}))
    read = read_labels(written, file="x.yaml")
    assert [[one.value for one in item.ratings["x"]] for item in read.items] == [[v for v, _ in row] for row in rows]
    assert write_labels(read) == written


def test_words_that_yaml_takes_for_booleans_are_the_words():
    text = "scales: {safe: 'yes|no'}\nitems:\n  - {id: a, ratings: {safe: [yes, no, 'Yes']}}\n"
    found = read_labels(text, file="x.yml").items[0].ratings["safe"]
    assert [one.value for one in found] == ["yes", "no", "yes"]


def test_a_line_that_is_no_json_is_named():
    line = json.dumps({"id": "a", "turns": [{"role": "user", "content": "x"}], "labels": {"ratings": {"x": [1, 2]}}})
    assert problems(f"{line}\n{{nope\n", "x.jsonl")[0]["line"] == 2
    assert problems(f"{line}\n{line}\n", "x.jsonl")[0]["line"] == 2
    assert problems('{"id": "a"}\n', "x.jsonl")[0]["pointer"] == "/1/labels/ratings"
    assert problems("\n", "x.jsonl")


@pytest.mark.parametrize(
    "name, items, criterion, scale",
    [
        ("pandalm_pairwise", 250, "preference", "0|1|2"),
        ("dstc9", 90, "human (overall)", "1-5"),
        ("dstc9", 90, "coherent", "1-3"),
        ("abredial", 59, "interest-arousal", "0-3"),
        ("dices350", 74, "safety", "Yes|No|Unsure"),
    ],
)
@pytest.mark.shared
def test_published_ratings_are_read_as_they_are(name, items, criterion, scale):
    path = DATA / "human_rated" / f"{name}.jsonl"
    labels = read_labels(path.read_text(), file=path.name)
    assert (len(labels.items), labels.scales[criterion].name) == (items, scale)
    assert labels.renamed({criterion: "x"}).criteria == ["x"]
