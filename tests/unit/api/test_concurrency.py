"""Many requests at once in one process, as on the local server: none sees anything of another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tests.unit.api.plane import JOB, SCHEDULE, World

CALLERS = 12
ROUNDS = 8


def test_every_request_keeps_its_own_caller_body_and_parameters(world: World) -> None:
    world.local = False
    barrier = Barrier(CALLERS, timeout=30)

    def one(number: int) -> None:
        who = {"jwt": {"claims": {"sub": f"caller-{number}"}}}
        name = f"job-{number}"
        barrier.wait()
        for turn in range(ROUNDS):
            inputs = {"number": number, "turn": turn}
            put = world.call(
                "PUT", f"/schedules/{name}", {**SCHEDULE, "name": name, "inputs": inputs}, authorizer=who
            )
            assert (put.body["name"], put.body["inputs"]) == (name, inputs)
            paused = world.call("POST", f"/jobs/{name}/pause", {"note": f"turn {turn}"}, authorizer=who).body
            assert (paused["paused_by"], paused["paused_note"]) == (f"jwt:caller-{number}", f"turn {turn}")
            refused = world.call("GET", f"/jobs/{name}/runs", query={"limit": f"{number}x"}, authorizer=who)
            assert f"'{number}x'" in refused.body["detail"]
            assert world.call("GET", f"/jobs/{name}").status == 401

    with ThreadPoolExecutor(CALLERS) as pool:
        list(pool.map(one, range(CALLERS)))


def test_a_call_that_waits_holds_up_nobody(world: World) -> None:
    world.call("POST", "/jobs", JOB)
    seen: list[int] = []

    def meanwhile() -> None:
        if not seen:
            seen.append(world.call("GET", "/jobs/reports.nightly").status)

    world.clock.meanwhile = meanwhile
    waited = world.call("POST", "/jobs/reports.nightly/trigger", {"data": {"a": 1}})
    assert (waited.status, waited.body["data"], seen) == (202, {"a": 1}, [200])
