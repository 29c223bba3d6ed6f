"""An AWS emulator for one test run: IAM enforced, TLS, its own port and folder, ended with everything it started.

It runs from its own environment (.venv-emulator) because it pins its own botocore, and with a clean environment because
the functions it runs inherit it: nothing of the caller's shell may leak into a deployed function.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-emulator" / "bin" / "python"
MAIN = Path(__file__).with_name("emulator_main.py")
REGION, ACCOUNT = "us-east-1", "000000000000"


@dataclass(frozen=True, slots=True)
class Keys:
    """An access key of the emulator. The default is its root user, whose secret it never checks."""

    id: str = "test"
    secret: str = field(default="test", repr=False)


@dataclass(slots=True)
class Emulator:
    """A running emulator: `endpoint` is its URL, `certificate` what a client must trust, `log` its output."""

    folder: Path
    endpoint: str
    certificate: Path = field(repr=False)
    log: Path = field(repr=False)
    process: subprocess.Popen[bytes] = field(repr=False)
    started_in: float = field(default=0.0)

    @classmethod
    def start(cls, folder: Path, *, timeout: float = 30) -> Emulator:
        """Start one in `folder` and wait until it answers; raises `RuntimeError` with its log if it does not."""
        if not PYTHON.exists():
            raise RuntimeError(f"{PYTHON.relative_to(ROOT)} is missing: run `make emulator-setup`")
        began = time.monotonic()
        certificate, key = make_certificate(folder)
        port = _free_port()
        home = folder / "home"
        home.mkdir()
        log = folder / "emulator.log"
        environment = {
            "PATH": f"{PYTHON.parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(port),
            "MINISTACK_HOST": "localhost",
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "AUTH": "true",
            "USE_SSL": "1",
            "MINISTACK_SSL_CERT": str(certificate),
            "MINISTACK_SSL_KEY": str(key),
            "AWS_CA_BUNDLE": str(certificate),
            "NODE_EXTRA_CA_CERTS": str(certificate),
        }
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(PYTHON), str(MAIN)],
                cwd=home,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        emulator = cls(folder, f"https://localhost:{port}", certificate, log, process)
        try:
            emulator._wait(began + timeout)
        except BaseException:
            emulator.stop()
            raise
        emulator.started_in = time.monotonic() - began
        return emulator

    def _wait(self, until: float) -> None:
        trust = ssl.create_default_context(cafile=self.certificate)
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.endpoint}/_ministack/health", timeout=2, context=trust):  # noqa: S310
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"the emulator does not answer at {self.endpoint}; its log:\n{self.tail()}")

    def stop(self) -> None:
        """End it and every function process it started; returns when they are gone."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, sign)
            except ProcessLookupError:
                break
            try:
                self.process.wait(3)
            except subprocess.TimeoutExpired:
                continue

    def tail(self, lines: int = 60) -> str:
        """The last lines of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def environment(self, keys: Keys = Keys()) -> dict[str, str]:
        """Environment for a command that is to talk to this emulator and to nothing else."""
        home = self.folder / "client"
        home.mkdir(exist_ok=True)
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": keys.id,
            "AWS_SECRET_ACCESS_KEY": keys.secret,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CA_BUNDLE": str(self.certificate),
            "NODE_EXTRA_CA_CERTS": str(self.certificate),
        }

    def client(self, service: str, keys: Keys = Keys()) -> Any:
        """A boto3 client of this emulator. The type is open: the service is chosen by name."""
        session: Any = boto3.Session(keys.id, keys.secret, region_name=REGION)
        return session.client(
            service,
            endpoint_url=self.endpoint,
            verify=str(self.certificate),
            config=Config(connect_timeout=5, read_timeout=35, retries={"total_max_attempts": 2}),
        )


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost and its key, valid for a day, trusted by whoever is handed it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(_names()), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / "localhost.crt", folder / "localhost.key"
    certificate_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.touch(mode=0o600)
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate_file, key_file


def _names() -> list[x509.GeneralName]:
    """What clients call the emulator: localhost, a bucket in front of it, and the address it gives to functions."""
    address = x509.IPAddress(ipaddress.IPv4Address("127.0.0.1"))
    return [x509.DNSName("localhost"), x509.DNSName("*.localhost"), address]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
