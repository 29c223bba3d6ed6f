"""One emulator and one deployment for all end-to-end tests, taken down again with everything they started."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.e2e.caller import Caller, make_user
from tests.e2e.deploy import Deployment
from tests.e2e.emulator import ACCOUNT, REGION, Emulator
from tests.e2e.logs import collect, summary
from tests.e2e.subscriber import Subscriber

TARGET_QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:e2e-orders"
REFUSED_QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:e2e-secrets"


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    emulator = Emulator.start(tmp_path_factory.mktemp("emulator"))
    print(f"\nemulator {emulator.endpoint} up in {emulator.started_in:.1f} s")
    try:
        yield emulator
    finally:
        emulator.stop()


@pytest.fixture(scope="session")
def deployment(emulator: Emulator) -> Iterator[Deployment]:
    """The product as `cdk deploy` brings it up; destroyed at the end, which must leave no stack behind."""
    for arn in (TARGET_QUEUE, REFUSED_QUEUE):
        emulator.client("sqs").create_queue(QueueName=arn.rpartition(":")[2])
    deployment = Deployment.prepare(emulator, allowed_targets=[TARGET_QUEUE])
    began = time.monotonic()
    try:
        deployment.bootstrap()
        deployment.synth()
        deployment.deploy()
        print("\n" + ", ".join(f"{step} {seconds:.1f} s" for step, seconds in deployment.seconds.items()))
        yield deployment
    finally:
        folder = collect(emulator, emulator.folder / "logs")
        print(f"\nlogs of the functions: {folder}\n{summary(folder)}")
    deployment.destroy()
    assert deployment.stack not in live_stacks(emulator)
    print(f"destroy {deployment.seconds['destroy']:.1f} s; all in {time.monotonic() - began:.0f} s")


def live_stacks(emulator: Emulator) -> list[str]:
    stacks = emulator.client("cloudformation").describe_stacks()["Stacks"]
    return [stack["StackName"] for stack in stacks if stack["StackStatus"] != "DELETE_COMPLETE"]


@pytest.fixture(scope="session")
def operator(emulator: Emulator, deployment: Deployment) -> Caller:
    """An IAM user with the one grant that the stack's output asks for."""
    outputs = deployment.outputs
    keys = make_user(emulator, "operator", {"execute-api:Invoke": outputs["ApiArn"]})
    return Caller(emulator, outputs["ApiId"], keys)


@pytest.fixture(scope="session")
def stranger(emulator: Emulator, deployment: Deployment) -> Caller:
    """An IAM user of the same account without a grant."""
    return Caller(emulator, deployment.outputs["ApiId"], make_user(emulator, "stranger", {}))


@pytest.fixture(scope="session")
def anonymous(emulator: Emulator, deployment: Deployment) -> Caller:
    return Caller(emulator, deployment.outputs["ApiId"])


@pytest.fixture(scope="session")
def subscriber(emulator: Emulator, deployment: Deployment) -> Iterator[Subscriber]:
    subscriber = Subscriber(emulator, deployment.outputs["EventBusName"])
    subscriber.start()
    yield subscriber
    subscriber.stop()
