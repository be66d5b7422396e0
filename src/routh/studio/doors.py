"""Who may come in, and what a browser may do with what it gets: hosts, origins, the token, headers.

A page of somebody else that is open in the same browser can send requests to this machine, and can have
its own name lead here (DNS rebinding). So the name that is asked for must be one of ours, what comes
from another origin is refused, and with a door to the network a token is asked for.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_MESSAGE = 3_000_000
"""Bytes of one message over the socket: a text of a million characters, most of them plain."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page of the studio may load: its own files, and no script in the page itself."""

ALWAYS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "cache-control": "no-cache",
}
"""Headers of every response that says nothing else."""

METHODS = frozenset({"GET", "HEAD"})
"""No request but the socket changes anything."""


@dataclass(frozen=True)
class Doors:
    """The rules at the door of one server.

    Arguments:
        host: the address that it listens at.
        port: and the port.
        token: what must be known to come in; empty at a loopback address.
    """

    host: str
    port: int
    token: str = ""
    names: frozenset[str] = field(default_factory=frozenset)
    """Names of this machine under which it may be asked for, beside numbers."""

    def knows(self, host: str) -> bool:
        """Whether a `Host` is one that this server is reached by."""
        name, port = _split(host)
        if port != self.port:
            return False
        if is_loopback(self.host):
            return name == "localhost" or is_loopback(name)
        # a name that somebody else has lead here is no number, and none of ours
        return name in self.names or name == self.host.lower() or _is_number(name)

    def refusal(self, scope: Scope) -> str:
        """Why a request is not let in; empty where it is."""
        headers = Headers(scope=scope)
        socket = scope["type"] == "websocket"
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.knows(hosts[0]):
            return "This address is not one of the studio. Open the one that it printed."
        if not socket and scope["method"] not in METHODS:
            return "The studio is read with GET; all else goes over its socket."
        origins = headers.getlist("origin")
        if any(origin != f"http://{hosts[0]}" for origin in origins) or (socket and not origins):
            return "Another page may not ask the studio for anything."
        if headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
            visits = headers.get("sec-fetch-mode") == "navigate" and scope["path"] == "/"
            if not visits or headers.get("sec-fetch-dest") != "document":
                return "Another page may not ask the studio for anything."
        return ""

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers do not tell ports apart."""
        return f"routh_studio_{self.port}"

    def admits(self, scope: Scope) -> bool:
        """Whether the token is known, where one is needed."""
        return not self.token or self._same(self._carried(scope)) or self._same(_queried(scope))

    def _carried(self, scope: Scope) -> str:
        try:
            found = SimpleCookie(Headers(scope=scope).get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found else ""

    def _same(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    def entered(self, scope: Scope) -> Response | None:
        """The way from an address with the token to the page, with a cookie in its place."""
        if not self.token or scope["type"] != "http" or scope["path"] != "/":
            return None
        if not self._same(_queried(scope)):
            return None
        rest = [(k, v) for k, v in parse_qsl(scope["query_string"].decode("latin-1")) if k != "token"]
        response = RedirectResponse("/" + (f"?{urlencode(rest)}" if rest else ""), status_code=303)
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        return response


class Guarded:
    """An application behind doors: nothing reaches it that is not let in."""

    def __init__(self, app: ASGIApp, doors: Doors) -> None:
        """The application, and the rules."""
        self._app = app
        self._doors = doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it at the door."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        answer = self._answer(scope)
        if answer is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "http":
            await answer(scope, receive, _with_headers(send))
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": ""})  # 403, before accepting

    def _answer(self, scope: Scope) -> Response | None:
        sentence = self._doors.refusal(scope)
        if sentence:
            return PlainTextResponse(sentence, status_code=403)
        if not self._doors.admits(scope):
            words = (
                "The studio needs its token. Open the whole address that it printed, ?token=... too."
            )
            return PlainTextResponse(words, status_code=401)
        return self._doors.entered(scope)


def _with_headers(send: Send) -> Send:
    """Adds the headers that every response has to those that say nothing about them."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [(k.encode(), v.encode()) for k, v in ALWAYS.items() if k.encode() not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sent


def made_policy(page: str) -> str:
    """What a report or a player may do that is served: its own scripts as they are, nothing else.

    It stands in a sandbox without an origin, so that it could not ask the studio for anything either.
    """
    scripts = " ".join(dict.fromkeys(_hashes(page))) or "'none'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:;"
        " font-src data:; media-src data: blob:; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'self'; sandbox allow-scripts allow-downloads allow-modals"
    )


def _hashes(page: str) -> Iterator[str]:
    """The hash of each script that stands in a page, or in a page within it."""
    found = _Scripts()
    found.feed(page)
    found.close()
    for script in found.scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        yield f"'sha256-{digest}'"
    for inner in found.pages:
        yield from _hashes(inner)


class _Scripts(HTMLParser):
    """Gathers what stands between <script> and </script>, and the pages of frames."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self.pages: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A script begins, or a frame."""
        self.pages += [text for name, text in attrs if name == "srcdoc" and text]
        if tag == "script":
            self._inside = True
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        """A script ends."""
        if tag == "script":
            self._inside = False

    def handle_data(self, data: str) -> None:
        """What stands in it."""
        if self._inside:
            self.scripts[-1] += data


def is_loopback(host: str) -> bool:
    """Whether an address is that of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _split(host: str) -> tuple[str, int]:
    """The name and the port of a `Host`; port 80 where it says none, -1 where that is no number."""
    name, colon, port = host.lower().rpartition(":")
    if not colon or port.endswith("]"):
        return host.lower(), 80
    return name, int(port) if port.isascii() and port.isdigit() and len(port) < 6 else -1


def _queried(scope: Scope) -> str:
    """The token of the address."""
    query: dict[str, str] = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    return query.get("token", "")
