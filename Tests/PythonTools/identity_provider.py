"""An OpenID provider with two people and one app: canaille, in memory.

Prints its port, and serves until standard input ends. Argument: how it signs tokens, RS256, ES256 or EdDSA.
"""

import os
import socket
import sys
import threading

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import ECKey, OKPKey, RSAKey
from werkzeug.serving import WSGIRequestHandler, make_server

algorithm = sys.argv[1]


class QuietHandler(WSGIRequestHandler):
    def log(self, type, message, *args):
        pass


def signing_keys():
    """A provider has an RSA key by OpenID Connect Core, section 15.1, and may have others."""
    yield RSAKey.generate_key(2048, auto_kid=True)
    if algorithm == "ES256":
        yield ECKey.generate_key("P-256", auto_kid=True)
    if algorithm == "EdDSA":
        yield OKPKey.generate_key("Ed25519", auto_kid=True)


def fill(backend):
    for name in ["anna", "bela"]:
        backend.save(
            models.User(
                user_name=name,
                family_name=name.title(),
                formatted_name=name.title(),
                emails=[f"{name}@pantry.example"],
                password=f"{name}'s password",
            )
        )
    client = models.Client(
        client_id="example.pantry",
        client_secret="pantry's secret",
        client_name="Pantry",
        contacts=["team@pantry.example"],
        redirect_uris=["https://pantry.example/"],
        grant_types=["password"],
        response_types=["code"],
        scope=["openid", "profile"],
        token_endpoint_auth_method="client_secret_basic",
        id_token_signed_response_alg=algorithm,
    )
    backend.save(client)
    client.audience = [client]
    backend.save(client)


# Its addresses are in what it publishes, so the port is taken first.
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(64)
port = listener.getsockname()[1]
app = create_app(
    {
        "SECRET_KEY": "for tests",
        "SERVER_NAME": f"127.0.0.1:{port}",
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory"},
        "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True) for key in signing_keys()]},
    }
)
with app.app_context(), Backend.instance.session():
    fill(Backend.instance)
server = make_server("127.0.0.1", port, app, threaded=True, request_handler=QuietHandler, fd=listener.fileno())
threading.Thread(target=server.serve_forever, daemon=True).start()
print(port, flush=True)
sys.stdin.read()
os._exit(0)
