"""Desks: what a page asks is done once, the newest counts, and nothing is lost with a connection."""

from __future__ import annotations

import json

import pytest

from routh.errors import DeclarationError
from routh.studio.desks import (
    LARGE,
    MOST_DESKS,
    MOST_KEPT,
    MOST_KEPT_BYTES,
    MOST_SENT,
    MOST_UNDER_WAY,
    MOST_UNSENT,
    TOO_SLOW,
    Desk,
    Desks,
)


class Patient:
    """A crew that does nothing by itself: tests begin and end asks."""

    def __init__(self):
        self.jobs = []

    def take(self, job):
        self.jobs.append(job)

    def drop(self, job, why, sentence, grace=0.0):
        job.grace = grace
        job.stopped(why, sentence)

    def begin(self, k):
        self.jobs[k].post = object()

    def end(self, k, size=0):
        job = self.jobs[k]
        message = {"n": job.n, "ask": job.kind, "say": "answer", "answer": "x" * size, "took": 1}
        job.say(json.dumps(message).encode(), last=True)


@pytest.fixture
def crew():
    return Patient()


@pytest.fixture
def desk(crew):
    return Desk("desk-of-test", crew)


def heard(line):
    """What a line holds, with its greeting left out."""
    found = [json.loads(each) for each in line.messages]
    line.messages.clear()
    return [each for each in found if each.get("say") != "desk"]


def connected(desk):
    return desk.connect(b'{"say": "desk"}')


def test_a_newer_ask_takes_the_place_of_one_that_has_not_begun(desk, crew):
    line = connected(desk)
    for n in (1, 2, 3):
        desk.ask(n, "live", {"text": "t", "values": {"m": n}})
    assert [(each["n"], each["why"]) for each in heard(line)] == [(1, "superseded"), (2, "superseded")]
    assert [job.n for job in crew.jobs if not job.done] == [3]


def test_one_that_has_begun_goes_on_and_other_kinds_are_left_alone(desk, crew):
    line = connected(desk)
    desk.ask(1, "live", {"text": "t"})
    crew.begin(0)
    desk.ask(2, "picture", {"text": "t"})
    desk.ask(3, "export", {"text": "t", "what": "c"})
    desk.ask(4, "export", {"text": "t", "what": "fmu"})
    desk.ask(5, "live", {"text": "t", "values": {"m": 2}})
    assert heard(line) == []
    assert not any(job.done for job in crew.jobs)


def test_a_long_one_makes_room_only_where_both_places_are_taken(desk, crew):
    line = connected(desk)
    for n in (1, 2):
        desk.ask(n, "motion", {"text": "t", "until": n})
        crew.begin(n - 1)
    assert heard(line) == []
    desk.ask(3, "motion", {"text": "t", "until": 3})
    assert [each["n"] for each in heard(line)] == [1]


def test_another_text_ends_what_is_about_the_old_one(desk, crew):
    line = connected(desk)
    desk.ask(1, "rests", {"text": "old"})
    desk.ask(2, "live", {"text": "old"})
    desk.ask(3, "export", {"text": "old", "what": "report"})
    desk.ask(4, "example", {"name": "pendulum"})
    desk.ask(5, "read", {"text": "new"})
    assert [(each["n"], each["why"]) for each in heard(line)] == [(1, "text"), (2, "text")]
    assert crew.jobs[0].grace == 0
    assert crew.jobs[1].grace > 0  # its worker has the models of this page


def test_the_same_text_read_again_ends_nothing(desk, crew):
    line = connected(desk)
    desk.ask(1, "rests", {"text": "t"})
    desk.ask(2, "read", {"text": "t"})
    assert heard(line) == []


def test_a_page_cancels_its_own_asks(desk):
    line = connected(desk)
    desk.ask(1, "rests", {"text": "t"})
    for n in (1, 1, 7, None, [1], "1"):
        desk.cancel(n)
    assert [(each["n"], each["why"]) for each in heard(line)] == [(1, "cancelled")]
    assert not desk.jobs


def test_what_ends_while_a_page_is_away_is_sent_when_it_comes_back(desk, crew):
    line = connected(desk)
    desk.ask(1, "rests", {"text": "t"})
    desk.ask(2, "motion", {"text": "t"})
    desk.leave(line)
    crew.end(0)
    assert not crew.jobs[1].done  # work goes on
    again = connected(desk)
    assert [each["n"] for each in heard(again)] == [1]
    crew.end(1)
    assert [each["n"] for each in heard(again)] == [2]
    desk.leave(again)
    assert heard(connected(desk)) == []


def test_an_ask_that_is_sent_once_more_is_not_done_twice(desk, crew):
    line = connected(desk)
    desk.ask(1, "rests", {"text": "t"})
    desk.ask(1, "rests", {"text": "t"})
    assert len(crew.jobs) == 1
    crew.end(0)
    assert len(heard(line)) == 1
    desk.ask(1, "rests", {"text": "t"})  # its answer was lost on the way
    assert len(crew.jobs) == 1
    assert [each["say"] for each in heard(line)] == ["answer"]


def test_a_reloaded_page_counts_from_one_again(desk, crew):
    line = connected(desk)
    desk.ask(1, "rests", {"text": "t"})
    desk.ask(1, "motion", {"text": "t"})  # another ask under the same number
    assert heard(line) == []  # nothing that the page could take for an answer to the new one
    assert crew.jobs[0].done
    crew.end(1)
    assert [each["ask"] for each in heard(line)] == ["motion"]
    desk.ask(1, "chart", {"text": "t"})
    desk.cancel(1)
    heard(line)
    desk.ask(1, "chart", {"text": "t"})  # what was cancelled once can be asked again
    assert heard(line) == []
    assert not crew.jobs[-1].done


def test_memory_is_bounded_however_long_a_page_is_away(desk, crew):
    desk.left = 1.0
    for n in range(50):
        desk.ask(n, "export", {"text": "t", "n": n})
        crew.end(n, size=LARGE * 3)
    kept = [message for _, message, _ in desk._kept.values()]
    assert len(kept) <= MOST_KEPT
    assert sum(map(len, kept)) <= MOST_KEPT_BYTES
    desk.ask(500, "export", {"text": "t"})
    crew.end(50, size=MOST_KEPT_BYTES + 1)
    last = heard(connected(desk))[-1]
    assert (last["n"], last["why"]) == (500, "away")


def test_of_what_has_been_sent_little_is_kept(desk, crew):
    connected(desk)
    for n in range(20):
        desk.ask(n, "export", {"text": "t", "n": n})
        crew.end(n)
    assert list(desk._kept) == list(range(20 - MOST_SENT, 20))


def test_a_page_that_takes_nothing_is_cut_off(desk, crew):
    line = connected(desk)
    while line.closing is None:
        line.put(b"x" * 1_000_000)
        assert line.unsent <= MOST_UNSENT + 1_000_000
    assert line.closing == TOO_SLOW


def test_a_page_cannot_ask_for_ever(desk, crew):
    line = connected(desk)
    for n in range(MOST_UNDER_WAY + 5):
        desk.ask(n, "export", {"text": "t", "n": n})
    assert [each["why"] for each in heard(line)] == ["busy"] * 5
    assert len(crew.jobs) == MOST_UNDER_WAY


def test_there_are_so_many_desks_and_the_one_left_longest_ago_makes_room(crew):
    desks = Desks(crew)
    lines = {}
    for k in range(MOST_DESKS):
        lines[k] = connected(desks.desk(f"desk-{k:05}"))
    with pytest.raises(DeclarationError, match="pages are open at this studio"):
        desks.desk("one-too-many")
    first = desks.desk("desk-00007")
    first.ask(1, "rests", {"text": "t"})
    first.leave(lines[7])
    desks.desk("one-more-desk")
    assert len(desks) == MOST_DESKS
    assert crew.jobs[0].done
    assert desks.desk("desk-00008").line is lines[8]


def test_two_desks_know_nothing_of_each_other(crew):
    desks = Desks(crew)
    one, other = desks.desk("desk-one"), desks.desk("desk-other")
    lines = connected(one), connected(other)
    one.ask(1, "live", {"text": "a"})
    other.ask(1, "live", {"text": "b"})
    one.ask(2, "read", {"text": "c"})
    assert [each["n"] for each in heard(lines[0])] == [1]
    crew.end(1)
    assert [each["n"] for each in heard(lines[1])] == [1]
    assert heard(lines[0]) == []
