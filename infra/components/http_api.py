"""The HTTP API in front of the api function. No route is anonymous but `/health` and `/openapi.json`.

`/iam/...` takes callers signed with SigV4 that hold `execute-api:Invoke`; every other path exists only if the stage
names an OIDC issuer, and takes its tokens. Without an issuer there is no such route at all, so a forgotten setting
closes the API.
"""

from __future__ import annotations

import json
from typing import cast

from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.logs import log_group
from infra.config import Stage

OPEN_ROUTES = ("/health", "/openapi.json")

_ACCESS_LOG = {
    "time": "$context.requestTime",
    "request": "$context.requestId",
    "caller": "$context.identity.userArn",
    "subject": "$context.authorizer.claims.sub",
    "address": "$context.identity.sourceIp",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "status": "$context.status",
    "milliseconds": "$context.responseLatency",
    "error": "$context.authorizer.error",
}


class ControlPlane(Construct):
    """The API (`api`) and its one stage, `$default` (`url`)."""

    def __init__(self, scope: Construct, id: str, *, handler: lambda_.IFunction, stage: Stage) -> None:
        super().__init__(scope, id)
        self.api = apigw.HttpApi(
            self, "Api", description=f"Duetime ({stage.name})", create_default_stage=False
        )
        self._integration = integrations.HttpLambdaIntegration("Function", handler)
        for path in OPEN_ROUTES:
            self._route(path, apigw.HttpMethod.GET, apigw.HttpNoneAuthorizer())
        self._route("/iam/{proxy+}", apigw.HttpMethod.ANY, authorizers.HttpIamAuthorizer())
        if stage.jwt is not None:
            jwt = authorizers.HttpJwtAuthorizer("Jwt", stage.jwt.issuer, jwt_audience=stage.jwt.audience)
            self._route("/{proxy+}", apigw.HttpMethod.ANY, jwt)
        self.default_stage = self._stage(stage)

    @property
    def callers_resource(self) -> str:
        """The ARN that an IAM caller needs `execute-api:Invoke` on: every method and path under `/iam`."""
        return self.api.arn_for_execute_api(path="/iam/*", stage="$default")

    def _route(self, path: str, method: apigw.HttpMethod, authorizer: apigw.IHttpRouteAuthorizer) -> None:
        self.api.add_routes(path=path, methods=[method], integration=self._integration, authorizer=authorizer)

    def _stage(self, stage: Stage) -> apigw.HttpStage:
        made = apigw.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            stage_name="$default",
            auto_deploy=True,
            throttle=apigw.ThrottleSettings(rate_limit=stage.throttle.rate, burst_limit=stage.throttle.burst),
        )
        lines = log_group(self, "Access", days=stage.log_days)
        # The library's own access log settings are an interface that Python cannot fill with a value.
        cast(
            apigw.CfnStage, made.node.default_child
        ).access_log_settings = apigw.CfnStage.AccessLogSettingsProperty(
            destination_arn=lines.log_group_arn, format=json.dumps(_ACCESS_LOG)
        )
        return made
