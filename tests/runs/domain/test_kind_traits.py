"""The table of traits says of every kind what the places that named kinds by hand said before."""

from apps.runs.domain import kind_traits
from apps.runs.domain.states import Kind
from apps.runs.playing.services.players import PLAYERS


def test_every_kind_has_its_line():
    assert set(kind_traits.TRAITS) == set(Kind)


def test_what_plays_has_a_player_and_nothing_else_has():
    assert set(kind_traits.PLAYABLE) == set(PLAYERS)


def test_tests_are_counted_probes_are_not_and_production_stands_apart():
    tests = (Kind.BATTLE, Kind.REPLAY, Kind.IMPORTED)
    assert kind_traits.RUN_LIST == kind_traits.TREND == kind_traits.BASELINE == tests
    assert (*tests, Kind.PROBE) == kind_traits.CONVERSATION_LIST
    assert (*tests, Kind.PRODUCTION, Kind.TRIAL, Kind.ANCHOR) == kind_traits.JUDGEABLE
    assert (*tests, Kind.PRODUCTION, Kind.TRIAL) == kind_traits.LABELLED
    assert set(Kind) - {Kind.TRIAL} == set(kind_traits.UNSEALED)
    assert [kind for kind in Kind if kind_traits.traits_of(kind).endless] == [Kind.PRODUCTION]


def test_kinds_as_sql_takes_them():
    assert kind_traits.sql_list(kind_traits.PLAYABLE) == "('battle', 'replay', 'probe')"
