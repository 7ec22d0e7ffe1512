"""A world through a server: what only that can do wrong."""

import http.server
import json
import threading

import pytest

import mneme


def test_what_is_no_address_is_refused():
    for url in ("", "127.0.0.1:8080", "ftp://127.0.0.1", "http://"):
        with pytest.raises(mneme.MnemeError) as refused:
            mneme.connect(url)
        assert refused.value.at == "url"


def test_a_server_that_is_gone_is_unreachable(served):
    world = mneme.connect(served.url)
    world.write("Note", {"statement": "tea"})
    served.stop()
    with pytest.raises(mneme.Unreachable) as refused:
        world.root()
    assert served.url in str(refused.value)
    world.close()
    with pytest.raises(mneme.Shutdown):
        world.root()


def test_another_server_is_told_from_mneme():
    class Other(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.send_response(404)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"<html")

        def log_message(self, *_):
            pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with pytest.raises(mneme.Unreachable, match="is it mneme"):
        mneme.connect(f"http://127.0.0.1:{server.server_port}").root()
    server.shutdown()
    server.server_close()


class Dropping(http.server.BaseHTTPRequestHandler):
    """Answers the first request of a connection, and lets go of the others."""

    protocol_version = "HTTP/1.1"
    seen = []

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append(asked["op"])
        if len(self.seen) % 2 == 0:
            self.close_connection = True
            return
        body = b'{"ok":true,"seq":1,"root":"00"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_what_broke_off_is_asked_again_only_if_it_reads():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Dropping)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    world = mneme.connect(f"http://127.0.0.1:{server.server_port}")
    assert world.root().seq == 1
    assert world.root().seq == 1  # dropped, and asked again
    Dropping.seen.clear()
    assert world.root().seq == 1
    with pytest.raises(mneme.OutcomeUnknown):
        world.write("Note", {"statement": "once"})
    assert Dropping.seen == ["root", "write"]
    world.close()
    server.shutdown()
    server.server_close()


def test_a_feed_that_is_closed_ends_soon(served):
    world = mneme.connect(served.url)
    feed = world.subscribe(since=0)
    ended = threading.Event()
    threading.Thread(target=lambda: (list(feed), ended.set()), daemon=True).start()
    assert not ended.wait(0.5)
    feed.close()
    assert ended.wait(5)  # and not what a call to the server may wait at most, which was 20 s
    world.close()
