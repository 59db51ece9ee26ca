"""A prompt and its draft as one text: nothing of either is lost, and what is protected is marked."""

from hypothesis import given
from hypothesis import strategies as st

from apps.dashboard.prompts.domain.diff import changed_words, prompt_diff

BOOKING = "# Booking\nAs soon as you know all three, book it.\n\n"
LIVE = f"# Role\nYou book haircuts.\n\n{BOOKING}# Privacy\nNever ask for a PIN.\n"
LINES = st.lists(
    st.sampled_from(["# Role", "# Prices", "1. Ask.", "Say the price.", "", "<rules>", "</rules>", "Say no price."]),
    max_size=12,
)


def sides(sections):
    """Both texts as the page shows them, without their line ends."""
    old, new = [], []
    for section in sections:
        for line in section.lines:
            if line.kind != "come":
                old.append("".join(one.text for one in line.pieces if one.kind != "come"))
            if line.kind != "gone":
                new.append("".join(one.text for one in line.pieces if one.kind != "gone"))
    return old, new


def test_a_section_that_changed_shows_what_goes_and_comes_in_one_stretch():
    draft = LIVE.replace("As soon as you know all three, book it.", "Say all three, and book it after a yes.")
    by_title = {one.title: one for one in prompt_diff(LIVE, draft)}
    assert [one.state for one in by_title.values()] == ["same", "edited", "same"]
    assert [one.protected for one in by_title.values()] == [False, False, True]
    assert by_title["Role"].folded
    assert changed_words(by_title.values()) > 0


def test_a_section_that_comes_and_one_that_goes():
    found = prompt_diff(LIVE, LIVE.replace(BOOKING, ""))
    assert [(one.title, one.state) for one in found] == [("Role", "same"), ("Booking", "gone"), ("Privacy", "same")]
    found = prompt_diff(LIVE, LIVE.replace("# Privacy", "# Prices\nSay them.\n\n# Privacy"))
    assert [one.state for one in found] == ["same", "same", "come", "same"]


@given(LINES, LINES)
def test_no_word_of_either_text_is_lost(old, new):
    live, draft = "\n".join(old), "\n".join(new)
    found = sides(prompt_diff(live, draft))
    assert sorted(found[0]) == sorted(live.splitlines())
    assert found[1] == draft.splitlines()
    if live == draft:
        assert changed_words(prompt_diff(live, draft)) == 0
