"""An OpenID Connect provider on this machine: it asks for nothing and says who it was told."""

import base64
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwk, jwt

CLIENT_ID, CLIENT_SECRET = "labels", "made up for a test"


class Provider:
    """`claims` are what it says of whoever comes next; set them before somebody signs in."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {}
        self.codes: dict[str, dict[str, Any]] = {}
        self.key = jwk.RSAKey.generate_key(2048, {"kid": "test", "use": "sig"})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def authorize(self, asked: dict[str, str]) -> str:
        """The address to go back to, with a code."""
        code = f"code-{len(self.codes)}"
        self.codes[code] = {"nonce": asked.get("nonce"), **self.claims}
        back = urlencode({"code": code, "state": asked["state"]})
        return f"{asked['redirect_uri']}?{back}"

    def token(self, form: dict[str, str]) -> dict[str, Any]:
        now = int(time.time())
        claims = {
            **{"iss": self.address, "aud": CLIENT_ID, "sub": "1", "iat": now, "exp": now + 600},
            **self.codes.pop(form["code"]),
        }
        signed = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self.key)
        return {"access_token": "a", "token_type": "Bearer", "expires_in": 600, "id_token": signed}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                where = urlsplit(self.path)
                if where.path == "/authorize":
                    asked = {k: v[0] for k, v in parse_qs(where.query).items()}
                    self.send_response(302)
                    self.send_header("Location", provider.authorize(asked))
                    self.end_headers()
                elif where.path == "/keys":
                    self.answer({"keys": [provider.key.as_dict(private=False)]})
                else:
                    self.answer(provider.metadata())

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                form = parse_qs(self.rfile.read(length).decode())
                self.answer(provider.token({k: v[0] for k, v in form.items()}))

            def answer(self, data: dict[str, Any]) -> None:
                body = json.dumps(data).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


def secrets_text(provider: Provider) -> str:
    """The secrets file of an app whose people sign in there."""
    lines = {
        "cookie_secret": base64.b16encode(hashlib.sha256(b"a test").digest()).decode(),
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "server_metadata_url": f"{provider.address}/.well-known/openid-configuration",
        "redirect_uri": "http://localhost:{port}/oauth2callback",
    }
    return "[auth]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())
