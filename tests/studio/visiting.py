"""A studio that is served on loopback, and visits to it as they go over the wire."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from routh.studio.routes import application
from routh.studio.server import configured

DESK = "desk-of-test"
CUT_OFF = 0
"""The status of what the server did not even read to its end."""


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Visitor:
    """Visits to a port of this machine under any name."""

    port: int
    name: str = "127.0.0.1:8421"
    cookie: str = ""

    def get(self, path, method="GET", body=None, **headers):
        """What a request gives, its path sent as it is written."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        given = {"host": self.name} | ({"cookie": self.cookie} if self.cookie else {})
        for key, value in (given | headers).items():
            line.putheader(key.replace("_", "-"), value)
        if body is not None:
            line.putheader("content-length", str(len(body)))
        try:
            line.endheaders(body)
            answer = line.getresponse()
            text = answer.read().decode("utf-8", errors="replace")
        except (ConnectionError, http.client.RemoteDisconnected):
            return Answer(CUT_OFF, {}, "")
        finally:
            line.close()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, text)

    def socket(self, desk=DESK, *, name=None, origin="", query="", **headers):
        """A connection to a desk."""
        name = self.name if name is None else name
        given = [(key.replace("_", "-"), value) for key, value in headers.items()]
        given += [("cookie", self.cookie)] if self.cookie else []
        return connect(
            f"ws://{name}/desk?desk={desk}{query}", max_size=None,
            sock=socket.create_connection(("127.0.0.1", self.port)),
            origin=origin if origin is None else origin or f"http://{name}", additional_headers=given,
            compression=None, proxy=None,
        )  # fmt: skip

    def refused(self, **about):
        """Whether a connection is refused before it is made."""
        try:
            self.socket(**about).close()
        except InvalidStatus as error:
            return error.response.status_code == 403
        return False


class Page:
    """A page at its desk: asks, and what came so far."""

    def __init__(self, line):
        self.line = line
        self.heard = []
        self.hello = self.next()["answer"]

    def next(self, seconds=60):
        self.heard.append(json.loads(self.line.recv(seconds)))
        return self.heard[-1]

    def send(self, n, kind, /, **about):
        self.line.send(json.dumps({"n": n, "ask": kind, "about": about}))

    def last(self, n, seconds=60):
        """The last message of an ask."""
        end = time.monotonic() + seconds
        while True:
            for each in self.heard:
                if each.get("n") == n and each["say"] not in ("part", "progress"):
                    return each
            self.next(end - time.monotonic())

    def ask(self, n, kind, /, **about):
        self.send(n, kind, **about)
        return self.last(n)


@contextmanager
def served(studio, doors):
    """A visitor to a studio that is served behind these doors, by a server in a thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(configured(application(studio, doors)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Visitor(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
