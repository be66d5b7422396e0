"""Worker processes: whatever an ask does, it ends in a sentence, and the next one is answered."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from routh.studio.worker import Limits
from routh.studio.workforce import AT_ONCE, lane_of


def run(test, hands, **settings):
    async def main():
        async with hands(**settings) as crew:
            await test(crew)

    asyncio.run(main())


def alive(pid):
    """Whether a process is there and no corpse that nobody has buried yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def until(claim, seconds=20):
    end = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_an_ask_is_answered_and_parts_come_before_the_whole(hands):
    async def test(crew):
        told = crew.ask("parts", count=3)
        assert (await told.last())["answer"] == {"whole": True}
        assert [each["say"] for each in told.messages] == ["part", "part", "part", "answer"]
        assert [each["answer"]["k"] for each in told.messages[:3]] == [0, 1, 2]
        assert {each["n"] for each in told.messages} == {1}

    run(test, hands)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("hoard", "memory"), ("hoard_at_once", "memory"), ("hoard_lists", "memory"),
        ("crash", "died"), ("leave", "died"), ("abort", "died"), ("fail", "fault"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_a_sentence_and_the_next_ask_is_answered(hands, kind, why):
    async def test(crew):
        said = await crew.ask(kind).last()
        assert said["say"] == "stopped"
        assert said["why"] == why
        assert said["sentence"].endswith(".")
        assert (await crew.answer("echo", word="still here"))["echo"] == "still here"

    run(test, hands)


def test_refusals_and_nests_are_told_as_refusals(hands):
    async def test(crew):
        said = await crew.ask("refuse").last()
        assert (said["say"], said["sentence"]) == ("refused", "Expected `x`. Got `y`.")
        assert "nested too deeply" in (await crew.ask("recurse").last())["sentence"]
        assert (
            "knows no ask `lvie`. Did you mean `live`?" in (await crew.ask("lvie").last())["sentence"]
        )

    run(test, hands)


def test_an_endless_ask_is_cancelled_by_killing(hands):
    async def test(crew):
        told = crew.ask("spin")
        await until(lambda: told.messages)
        assert told.messages[0]["say"] == "progress"
        crew.crew.drop(told.job, "cancelled", "Cancelled.")
        assert (await told.last())["why"] == "cancelled"
        assert await crew.answer("echo")

    run(test, hands)


def test_an_endless_ask_ends_when_its_time_is_over(hands):
    async def test(crew):
        said = await crew.ask("spin").last()
        assert said["why"] == "time"
        assert "longer than 0.5 seconds" in said["sentence"]
        assert await crew.answer("echo")

    run(test, hands, limits=Limits(600_000_000, 0.5))


def test_quick_asks_do_not_wait_behind_long_ones(hands):
    async def test(crew):
        long = [crew.ask("spin", desk=f"desk{k}") for k in range(12)]
        await until(lambda: sum(bool(each.messages) for each in long) == 5)
        for kind in ("live", "picture"):
            assert lane_of(kind) != "long"
            for desk in ("desk0", "desk1", "elsewhere"):
                assert (await crew.ask(kind, desk=desk).last(10))["say"] == "answer"
        assert crew.crew.counted()["workers"] <= 8
        assert crew.crew.counted()["waiting"] == 7

    run(test, hands)


def test_a_desk_keeps_its_worker_and_has_so_many_at_once(hands):
    async def test(crew):
        first = (await crew.answer("live"))["pid"]
        other = (await crew.answer("live", desk="other"))["pid"]
        assert other != first
        assert [(await crew.answer("live"))["pid"] for _ in range(3)] == [first] * 3
        long = [crew.ask("held") for _ in range(4)]
        await until(lambda: crew.crew.counted()["busy"] == AT_ONCE["long"])
        assert crew.crew.counted()["waiting"] == 4 - AT_ONCE["long"]
        for told in long:
            crew.crew.drop(told.job, "cancelled", "Cancelled.")

    run(test, hands)


def test_a_worker_that_is_killed_from_outside_is_told_and_replaced(hands):
    async def test(crew):
        pid = (await crew.answer("live"))["pid"]
        idle = [post.worker._process for post in crew.crew._posts.values() if post.lane]
        os.kill(pid, 9)
        await until(lambda: not idle[0].is_alive())
        assert (await crew.answer("live"))["pid"] != pid  # it had not begun: another one does it
        told = crew.ask("spin")
        await until(lambda: told.messages)
        busy = [post for post in crew.crew._posts.values() if post.job is told.job]
        os.kill(busy[0].worker._process.pid, 9)
        assert "ended by the system" in (await told.last())["sentence"]

    run(test, hands)


def test_there_are_never_more_processes_than_allowed_and_none_afterwards(hands):
    seen = set()

    async def test(crew):
        told = [crew.ask("echo", desk=f"desk{k}") for k in range(30)]
        while not all(each.ended.is_set() for each in told):
            assert crew.crew.counted()["workers"] <= 3
            await asyncio.sleep(0.005)
        seen.update(each.messages[-1]["answer"]["pid"] for each in told)

    run(test, hands, most=3)
    assert 1 <= len(seen) <= 3
    assert not any(alive(pid) for pid in seen)


def test_idle_workers_end_and_a_fresh_one_stays(hands):
    async def test(crew):
        pids = [(await crew.answer("live", desk=f"desk{k}"))["pid"] for k in range(3)]
        await until(lambda: not any(alive(pid) for pid in pids))
        await until(lambda: crew.crew.counted()["workers"] == 1)
        assert await crew.answer("live")

    run(test, hands, idle=0.2)


def test_workers_are_silent_and_have_one_thread(hands, capfd):
    async def test(crew):
        assert await crew.answer("shout") == {"stdout": 1}
        assert set((await crew.answer("threads")).values()) == {"1"}

    run(test, hands)
    said = capfd.readouterr()
    assert "SHOUT" not in said.out + said.err


def test_an_answer_that_no_page_could_take_is_a_sentence(hands):
    async def test(crew):
        said = await crew.ask("large", size=70_000_000).last()
        assert said["why"] == "size"
        assert "Ask for fewer points" in said["sentence"]

    run(test, hands, limits=Limits(2_000_000_000, 60.0))


def test_a_worker_that_cannot_start_is_told_once_and_not_tried_for_ever(hands):
    async def test(crew):
        said = await crew.ask("echo").last()
        assert said["why"] == "died"
        await until(lambda: crew.crew.counted()["workers"] == 0)

    run(test, hands, work=cannot_start)


def cannot_start(connection, memory, keep):
    os._exit(7)
