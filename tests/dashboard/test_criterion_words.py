"""A sentence of ours says criteria as its reader calls them."""

from apps.dashboard.results.domain.criterion_words import with_titles

TITLES = {"confirms_before_booking": "Asked before it books", "facts": "Facts"}


def test_names_become_titles_and_what_must_not_happen_is_said():
    told = with_titles("Hard assertions fail in 1 case: MustNotHappenAgain/confirms_before_booking.", TITLES)
    assert told == "Hard assertions fail in 1 case: must not happen again: Asked before it books."
    assert with_titles("facts is scored in 5 of the 39 cases", TITLES) == "Facts is scored in 5 of the 39 cases"


def test_a_part_of_another_word_stays_and_so_does_all_without_titles():
    assert with_titles("artefacts, facts_of_it, known-facts", TITLES) == "artefacts, facts_of_it, known-facts"
    assert with_titles("MustNotHappenAgain/facts", {}) == "MustNotHappenAgain/facts"
