"""Callers of the deployed API: IAM users of the emulator with the grants they are given, signing each request."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.e2e.emulator import REGION, Emulator, Keys


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; `json()` parses its body."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls the API as one IAM user; without keys it is anonymous."""

    emulator: Emulator
    api_id: str
    keys: Keys | None = None

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send one request to `path` as the API knows it, e.g. `/iam/projects/default/jobs`."""
        url = f"{self.emulator.endpoint}/_aws/execute-api/{self.api_id}/$default{path}"
        data = None if body is None else json.dumps(body).encode()
        content = {"Content-Type": "application/json"} if data is not None else {}
        request = AWSRequest(method, url, headers={**content, **headers}, data=data)
        if self.keys is not None:
            SigV4Auth(Credentials(self.keys.id, self.keys.secret), "execute-api", REGION).add_auth(request)
        return self._send(Request(url, data=data, headers=dict(request.headers.items()), method=method))  # noqa: S310

    def _send(self, request: Request) -> Answer:
        trust = ssl.create_default_context(cafile=self.emulator.certificate)
        try:
            with urlopen(request, timeout=35, context=trust) as response:  # noqa: S310 - the emulator's own https address
                return Answer(response.status, dict(response.headers), response.read())
        except HTTPError as refused:
            with refused:
                return Answer(refused.code, dict(refused.headers), refused.read())


def make_user(emulator: Emulator, name: str, allow: dict[str, str]) -> Keys:
    """An IAM user that may do the actions on the resources given (`{"execute-api:Invoke": arn}`), and its key."""
    iam = emulator.client("iam")
    iam.create_user(UserName=name)
    if allow:
        statements = [{"Effect": "Allow", "Action": action, "Resource": arn} for action, arn in allow.items()]
        document = json.dumps({"Version": "2012-10-17", "Statement": statements})
        iam.put_user_policy(UserName=name, PolicyName="allow", PolicyDocument=document)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return Keys(key["AccessKeyId"], key["SecretAccessKey"])
