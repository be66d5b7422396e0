"""Who is let in: only the page itself, under an address of the studio, with its token where one is needed."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape

import pytest
from visiting import CUT_OFF, Page, served
from websockets.exceptions import ConnectionClosed

from routh.studio.desks import TAKEN_OVER
from routh.studio.doors import Doors, made_policy
from routh.studio.folder import Folder
from routh.studio.routes import Studio
from routh.studio.workforce import Crew

TOKEN = "a-token-of-twenty-four-letters"
SCRIPT = {"sec_fetch_mode": "no-cors", "sec_fetch_dest": "script"}
LINK = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """A studio without workers: nothing of it is needed at the door."""
    folder = tmp_path_factory.mktemp("studio")
    studio = Studio(Crew(keep=str(folder), most=0), Folder.at(folder / "models"), folder / "made")
    studio._lore = {"examples": [], "functions": [], "schema": {}}
    return studio


@pytest.fixture(scope="module")
def local(studio):
    with served(studio, Doors("127.0.0.1", 8421)) as visitor:
        yield visitor


@pytest.fixture
def far(studio):
    doors = Doors("0.0.0.0", 8421, TOKEN, frozenset({"lab"}))
    with served(studio, doors) as visitor:
        visitor.name = "lab:8421"
        yield visitor


@pytest.mark.parametrize("host", ["127.0.0.1:8421", "localhost:8421", "[::1]:8421", "LOCALHOST:8421"])
def test_the_names_of_this_machine_are_known(local, host):
    assert local.get("/", host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:8421", "127.0.0.1:80", "127.0.0.1", "localhost", "localhost:9999",
        "localhost.evil.example:8421", "127.0.0.1.evil.example:8421", "127.0.0.1:8421.evil.example", "",
        "10.0.0.1:8421", "[::2]:8421", "localhost:8421:8421", "user@localhost:8421", "localhost:08421x",
    ],
)  # fmt: skip
def test_a_foreign_host_is_refused(local, host):
    for path in ("/", "/main.js", "/made/desk-of-test/aaaaaaaaaaaaaaaaaaaa/x.html"):
        answer = local.get(path, host=host)
        assert answer.status == 403
        assert "not one of the studio" in answer.text
    if host.count(":") == 1 and not set("x@") & set(host):  # else a client would not even try
        assert local.refused(name=host)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:8422", "file://",
        "https://127.0.0.1:8421", "http://localhost:8421", "http://127.0.0.1:8421.evil.example",
        "http://127.0.0.1:8421/", "http://evil.example/http://127.0.0.1:8421",
    ],
)  # fmt: skip
def test_a_foreign_origin_is_refused(local, origin):
    assert local.get("/", origin=origin).status == 403
    assert local.refused(origin=origin)


def test_the_socket_needs_an_origin(local):
    assert local.refused(origin=None)
    with local.socket() as line:
        assert Page(line).heard[0]["say"] == "desk"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_of_other_pages_are_refused_but_a_link_is_followed(local, site):
    other, link = SCRIPT | {"sec_fetch_site": site}, LINK | {"sec_fetch_site": site}
    assert local.get("/main.js", **other).status == 403
    assert local.get("/", **other).status == 403
    assert local.get("/", **link | {"sec_fetch_dest": "iframe"}).status == 403
    assert local.get("/", **link).status == 200
    assert local.get("/made/desk-of-test/aaaaaaaaaaaaaaaaaaaa/x.html", **link).status == 403
    assert local.refused(**other)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_nothing_is_changed_by_a_request(local, method):
    assert local.get("/", method, b"x" * 1000).status == 403
    assert local.get("/", method, b"x" * 20_000_000).status in (CUT_OFF, 403)


def test_every_answer_has_its_headers(local):
    for path, status in (
        ("/", 200),
        ("/nothing", 404),
        ("/made/a/b/c", 404),
        ("/vendor/katex.css", 200),
    ):
        answer = local.get(path)
        assert answer.status == status
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        scripts = [part for part in policy.split(";") if "script-src" in part]
        assert all("unsafe" not in part for part in scripts)
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml", "/%2e%2e/%2e%2e/version.py", "/..%2f..%2fversion.py", "/vendor/../../crew.py",
        "/vendor/..%2f..%2fcrew.py", "//etc/passwd", "/%00", "/main.js%00", "/..\\crew.py", "/.git/config",
        "/made/../../etc/passwd", "/made/desk-of-test/..%2f..%2f/x", "/made/%2e%2e/%2e%2e/passwd",
        "/vendor/katex.js/../../crew.py", "/..;/crew.py",
    ],
)  # fmt: skip
def test_no_path_of_the_address_leads_out(local, path):
    answer = local.get(path)
    assert answer.status in (404, 400)
    assert "import" not in answer.text


def test_without_the_token_nothing_is_served(far):
    for path in ("/", "/main.js", "/vendor/katex.js", "/?token=wrong", "/?token=", "/main.js?token=x"):
        assert far.get(path).status == 401
    for cookie in (
        "routh_studio_8421=wrong",
        "routh_studio_8421=",
        "other=1",
        "routh_studio_8421",
        ";;=;",
    ):
        assert far.get("/", cookie=cookie).status == 401
    assert far.refused()
    assert far.refused(query="&token=wrong")


def test_the_token_becomes_a_cookie_that_pages_cannot_read(far):
    answer = far.get(f"/?token={TOKEN}&more=1")
    assert (answer.status, answer.headers["location"]) == (303, "/?more=1")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    far.cookie = answer.headers["set-cookie"].partition(";")[0]
    assert far.get("/").status == 200
    with far.socket() as line:
        assert Page(line).heard[0]["say"] == "desk"


def test_beyond_this_machine_names_of_others_are_still_refused(far):
    far.cookie = f"routh_studio_8421={TOKEN}"
    for host, status in {"lab:8421": 200, "10.1.2.3:8421": 200, "evil.example:8421": 403}.items():
        assert far.get("/", host=host).status == status


def test_a_made_page_may_run_its_own_scripts_and_no_others():
    script = "\nconst x = '<b>' && 1;\n"
    inner = escape("<script>2 < 3</script>", quote=True)
    frame = f'<iframe srcdoc="{inner}"></iframe>'
    policy = made_policy(f"<html><script>{script}</script><script type=module></script>{frame}</html>")
    for each in (script, "", "2 < 3"):
        digest = base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy
    assert "script-src 'none'" in made_policy("<p>no script</p>")


def test_what_was_made_is_fetched_by_its_whole_address_alone(local, studio):
    folder = studio.made / "desk-of-test" / ("s" * 32)
    folder.mkdir(parents=True)
    (folder / "report.html").write_text("<script>1</script>")
    (folder / "swing.c").write_text("int x;")
    (studio.made / "secret.txt").write_text("secret")
    page = local.get(f"/made/desk-of-test/{'s' * 32}/report.html")
    assert page.headers["content-type"].startswith("text/html")
    assert "sandbox" in page.headers["content-security-policy"]
    code = local.get(f"/made/desk-of-test/{'s' * 32}/swing.c")
    assert code.headers["content-disposition"].startswith("attachment")
    assert local.get(f"/made/desk-of-test/{'s' * 32}/report.html?download").headers[
        "content-disposition"
    ]
    for path in (
        "desk-of-test/ssss/swing.c",
        "desk-of-test",
        f"other-desk/{'s' * 32}/swing.c",
        "secret.txt",
    ):
        assert local.get(f"/made/{path}").status == 404


@pytest.mark.parametrize(
    "name", ["", "short", "x" * 65, "../../etc/passwd", "a%20b%20c%20d", "desk%00desk"]
)
def test_a_desk_has_a_plain_name(local, name):
    with local.socket(name) as line:
        assert "A desk has a name" in json.loads(line.recv())["sentence"]


HOSTILE = [
    '{"n": 1, "ask": "read", "about": {"x": ' + '{"y": ' * 3000 + "1" + "}" * 3000 + "}}",
    "", "x", "[]", "3", "null", '"text"', "{}", '{"ask": 3}', '{"n": "x", "ask": "read"}', "{" * 5000,
    "[" * 200_000, '{"n": 1, "ask": "read", "about": []}', '{"n": 1, "ask": "read", "about": {"text": 3}}',
    '{"n": 1, "ask": "read", "about": {"text": "", "values": [1]}}', '{"n": 1.5, "ask": "read"}',
    json.dumps({"n": 1, "ask": "read", "about": {"text": "x" * 1_000_001}}),
    json.dumps({"n": 1, "ask": "save", "about": {"path": "x.toml", "text": "x" * 1_000_001}}),
    json.dumps({"n": 1, "ask": "read", "about": {"text": "x" * 2_900_000}}),
]  # fmt: skip


def test_hostile_messages_are_refused_and_the_desk_goes_on(local):
    with local.socket() as line:
        page = Page(line)
        for message in HOSTILE:
            line.send(message)
            assert page.next()["say"] == "refused", message[:60]
        line.send(json.dumps({"ask": "cancel", "about": {"n": [1]}}))
        assert page.ask(9, "files")["answer"] == {"files": []}


def sent_and_heard(page, message):
    """Whichever of the two the server cuts off."""
    page.line.send(message)
    return page.next()


def test_a_message_that_is_too_long_or_no_text_closes_the_connection_alone(local):
    for message in ("x" * 4_000_000, b"raw"):
        with local.socket() as line:
            page = Page(line)
            with pytest.raises(ConnectionClosed):
                sent_and_heard(page, message)
    with local.socket() as line:
        assert Page(line).ask(1, "files")["say"] == "answer"


def test_a_long_head_or_address_is_refused(local):
    assert local.get("/" + "x" * 20_000).status in (400, 404, 414, 431)
    assert local.get("/", cookie="x" * 200_000).status in (CUT_OFF, 400, 431)
    assert local.get("/").status == 200


def test_a_desk_that_is_opened_twice_belongs_to_the_last(local):
    with local.socket() as first, local.socket() as second:
        page = Page(second)
        first.recv()
        with pytest.raises(ConnectionClosed) as closed:
            first.recv()
        assert closed.value.rcvd.code == TAKEN_OVER
        assert page.ask(1, "files")["say"] == "answer"
