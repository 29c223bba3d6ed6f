"""The CDK app: `cdk deploy` here deploys the stage `default`, `cdk deploy -c stage=prod` that of stages/prod.json."""

from __future__ import annotations

import sys

from aws_cdk import App
from aws_cdk import aws_lambda as lambda_

from infra.components.bundle import BundleError, Platform, build
from infra.config import StageError, load_stage
from infra.nag import add_nag
from infra.stack import DuetimeStack


def main() -> None:
    """Synthesize the stage that the context names; a wrong stage ends with one line and exit code 2."""
    app = App()
    try:
        stage = load_stage(str(app.node.try_get_context("stage") or "default"))
        bundle = build(Platform(stage.python, stage.architecture, stage.wheels))
    except (StageError, BundleError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - this is a command
        raise SystemExit(2) from None
    code = lambda_.Code.from_asset(str(bundle.path), asset_hash=bundle.digest)
    add_nag(app, DuetimeStack(app, stage=stage, code=code))
    app.synth()


if __name__ == "__main__":
    main()
