"""A time-stamp authority for tests, made with the `openssl` command: root, signer, answers."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

_CONFIG = """\
[tsa]
default_tsa = made
[made]
serial = {folder}/serial
signer_cert = {folder}/signer.pem
certs = {folder}/between.pem
signer_key = {folder}/signer.key
signer_digest = sha256
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.2
digests = sha256, sha512
accuracy = secs:1
ordering = no
tsa_name = yes
ess_cert_id_alg = sha256
"""


@dataclass(frozen=True, slots=True)
class Authority:
    """A root, a certificate between, and a signer that may stamp times."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root.pem"

    def answer(self, request: bytes) -> bytes:
        """What the authority sends back to a request."""
        (self.folder / "query.tsq").write_bytes(request)
        self.openssl("ts -reply -config ts.cnf -section made -queryfile query.tsq -out answer.tsr")
        return (self.folder / "answer.tsr").read_bytes()

    def stamp(self, file: Path, *, options: str = "-sha256 -cert") -> bytes:
        """A time stamp over a file, asked for with openssl's own request."""
        self.openssl(f"ts -query {options} -out own.tsq -data", str(file))
        return self.answer((self.folder / "own.tsq").read_bytes())

    def accepts(self, token: Path, file: Path) -> bool:
        """Whether openssl itself takes the token as a stamp over the file."""
        words = f"ts -verify -CAfile root.pem -in {token} -data {file}".split(" ")
        done = subprocess.run(
            ["openssl", *words], cwd=self.folder, capture_output=True, text=True, check=False
        )
        return done.returncode == 0 and "Verification: OK" in done.stdout

    def openssl(self, words: str, *more: str) -> None:
        subprocess.run(
            ["openssl", *words.split(), *more], cwd=self.folder, check=True, capture_output=True
        )


def made_authority(folder: Path) -> Authority:
    """A new authority; skips the test where there is no openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command is not installed: apt-get install openssl")
    folder.mkdir()
    authority = Authority(folder)
    (folder / "ts.cnf").write_text(_CONFIG.format(folder=folder))
    (folder / "serial").write_text("01\n")
    (folder / "ca.ext").write_text("basicConstraints=critical,CA:TRUE\n")
    (folder / "signer.ext").write_text(
        "basicConstraints=CA:FALSE\nextendedKeyUsage=critical,timeStamping\n"
    )
    new = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    authority.openssl(f"req -x509 {new} -keyout root.key -out root.pem -days 9 -subj /CN=Root")
    for name, extension, above in (("between", "ca", "root"), ("signer", "signer", "between")):
        authority.openssl(f"req {new} -keyout {name}.key -out {name}.csr -subj /CN={name}")
        authority.openssl(
            f"x509 -req -in {name}.csr -CA {above}.pem -CAkey {above}.key -CAcreateserial "
            f"-days 9 -extfile {extension}.ext -out {name}.pem"
        )
    return authority


@contextmanager
def served(authority: Authority, *, spoil: bytes | None = None, status: int = 200) -> Iterator[str]:
    """The address of a small HTTP server that answers as the authority, or with `spoil`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = self.rfile.read(int(self.headers["Content-Length"]))
            asked = self.headers["Content-Type"] == "application/timestamp-query"
            answer = authority.answer(request) if spoil is None and asked else spoil or b""
            self.send_response(status)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/stamp"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
