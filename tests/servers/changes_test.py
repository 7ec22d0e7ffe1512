#!/usr/bin/env python3
"""The change feed of `mneme serve` and `mneme mcp` from outside: events, coming back, keys, ends."""
# Of: tools/server/http/change_events.cpp, tools/server/http/stream_places.hpp
# Of: tools/server/mcp/resource_feed.cpp, tools/server/mcp/mcp_http.cpp, tools/server/mcp/mcp_stdio.cpp

import http.client
import json
import threading
import time
import unittest

from served import PATIENCE_S, Folder, Served, Stdio, make_key


def note(text, **more):
    return {"op": "write", "type": "Note", "data": {"statement": text}, **more}


class Events:
    """A stream of server-sent events, read as it comes."""

    def __init__(self, server, path, key=None, headers=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        sent = {"Accept": "text/event-stream", **(headers or {})}
        if key:
            sent["X-API-Key"] = key
        self.connection.request("GET", path, None, sent)
        self.response = self.connection.getresponse()

    def next(self):
        """(id, data) of the next event with data; (None, None) at the end."""
        fields = {}
        for line in iter(self.response.readline, b""):
            text = line.decode().rstrip("\n")
            if not text:
                if "data" in fields:
                    return fields.get("id"), json.loads(fields["data"])
                fields = {}
                continue
            name, _, value = text.partition(": ")
            fields[name] = value
        return None, None

    def close(self):
        self.response.close()
        self.connection.close()


def wait_for(client, method):
    """The first notification of that method, which may have come before an answer."""
    while True:
        for told in client.notifications:
            if told["method"] == method:
                client.notifications.remove(told)
                return told
        client.notifications.append(client.receive())


class Feed(unittest.TestCase):
    def setUp(self):
        self.folder = Folder(self).path

    def test_events_come_as_it_is_written_and_go_on_where_they_were(self):
        with Served(self.folder / "w") as server:
            server.op(**note("a"))
            events = Events(server, "/v1/changes?since=0")
            self.assertEqual(events.response.status, 200)
            self.assertTrue(events.response.getheader("Content-Type").startswith("text/event-stream"))
            self.assertEqual(events.next()[0], "1")
            server.op(**note("b", actor="ana"))
            last, change = events.next()
            self.assertEqual((last, change["actor"], change["kind"]), ("2", "ana", "written"))
            events.close()
            server.op(**note("c"))
            again = Events(server, "/v1/changes?since=0", headers={"Last-Event-ID": last})
            self.assertEqual(again.next()[0], "3")
            again.close()
            filtered = Events(server, "/v1/changes?since=0&made_by=ana&types=Note&with_record=true")
            self.assertEqual(filtered.next()[1]["record"]["version"]["data"]["statement"], "b")
            filtered.close()

    def test_json_is_a_page(self):
        with Served(self.folder / "w") as server:
            for text in "abc":
                server.op(**note(text))
            page = server.get("/v1/changes?since=1&limit=1", headers={"Accept": "application/json"})
            self.assertEqual([c["seq"] for c in page.json["changes"]], [2])
            self.assertEqual((page.json["next"], page.json["more"]), (2, True))
            self.assertEqual(server.get("/v1/changes?since=9").code, "seq_unavailable")
            self.assertEqual(server.get("/v1/changes?sinc=0").code, "unknown_key")
            self.assertEqual(server.post("/v1/changes", {"since": 0}).json["next"], 3)

    def test_a_key_hears_what_it_may_see_until_it_is_revoked(self):
        keys = self.folder / "keys.json"
        host, ana = make_key(keys, "--host"), make_key(keys, "--actor", "ana", "--read-only")
        with Served(self.folder / "w", "--keys", str(keys)) as server:
            self.assertEqual(server.get("/v1/changes?since=0").status, 401)
            server.op(host, **note("secret", actor="bob"))
            server.op(host, **note("hers", actor="ana"))
            events = Events(server, "/v1/changes?since=0", ana)
            self.assertEqual(events.next()[0], "2")
            self.assertEqual(server.op(ana, op="changes", since=0, actor="bob").code, "actor_mismatch")
            events.close()

    def test_streams_are_bounded_and_end_with_the_server(self):
        with Served(self.folder / "w", "--max-connections", "4") as server:
            streams = [Events(server, "/v1/changes?since=0") for _ in range(2)]
            refused = Events(server, "/v1/changes?since=0")
            self.assertEqual(refused.response.status, 503)
            refused.close()
            server.op(**note("a"))
            self.assertEqual([s.next()[0] for s in streams], ["1", "1"])
            ends = []
            readers = [threading.Thread(target=lambda s=s: ends.append(s.next())) for s in streams]
            for reader in readers:
                reader.start()
            self.assertEqual(server.stop(), 0)
            for reader in readers:
                reader.join(PATIENCE_S)
            self.assertEqual(ends, [(None, None)] * 2)
            for stream in streams:
                stream.close()

    def test_mcp_over_http_tells_of_resources(self):
        with Served(self.folder / "w") as server:
            uri = server.op(**note("a")).json["uri"]
            both = {"Accept": "application/json, text/event-stream"}

            def ask(method, **params):
                return server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": method,
                                            "params": params}, headers=both)
            began = ask("initialize", protocolVersion="2025-11-25", capabilities={},
                        clientInfo={"name": "t", "version": "1"})
            self.assertEqual(began.json["result"]["capabilities"]["resources"],
                             {"subscribe": True, "listChanged": True})
            both["Mcp-Session-Id"] = began.headers["mcp-session-id"]
            self.assertEqual(ask("resources/subscribe", uri=uri).json["result"], {})
            events = Events(server, "/mcp", headers={"Mcp-Session-Id": both["Mcp-Session-Id"]})
            server.op(op="tombstone", uri=uri, reason="over")
            heard = [events.next()[1], events.next()[1]]
            self.assertEqual(heard[0]["method"], "notifications/resources/updated")
            self.assertEqual(heard[0]["params"]["uri"], uri)
            self.assertEqual(heard[1]["method"], "notifications/resources/list_changed")
            # A stream that broke off is not known to be gone: the next one takes its place at once,
            # and has what came meanwhile.
            session = {"Mcp-Session-Id": both["Mcp-Session-Id"]}
            second = Events(server, "/mcp", headers=session)
            self.assertEqual(second.response.status, 200)
            other = server.op(**note("b")).json["uri"]
            last, told = second.next()
            self.assertEqual(told["method"], "notifications/resources/list_changed")
            self.assertEqual(events.next(), (None, None))
            events.close()
            second.close()
            ask("resources/subscribe", uri=other)
            server.op(op="tombstone", uri=other, reason="over")
            again = Events(server, "/mcp", headers={**session, "Last-Event-ID": str(int(last) - 1)})
            self.assertEqual(again.next(), (last, told))
            self.assertEqual(again.next()[1]["params"]["uri"], other)
            again.close()

    def test_a_place_is_free_again_soon_after_its_client_is_gone(self):
        with Served(self.folder / "w", "--max-connections", "4") as server:
            for _ in range(2):
                for stream in [Events(server, "/v1/changes?since=0") for _ in range(2)]:
                    self.assertEqual(stream.response.status, 200)
                    stream.close()
                until = time.monotonic() + 8  # and not a heartbeat, which is 15 s
                while (events := Events(server, "/v1/changes?since=0")).response.status == 503:
                    self.assertLess(time.monotonic(), until)
                    events.close()
                    time.sleep(0.1)
                events.close()
                time.sleep(3)

    def test_mcp_over_pipes_tells_of_resources(self):
        with Stdio(self.folder / "w") as client:
            client.start()
            made = client.call("remember", text="tea at five")["structuredContent"]["uri"]
            newest = "mneme://memory/" + made.split("/")[3].split("#")[0]
            self.assertEqual(client.ask("resources/subscribe", {"uri": newest})["result"], {})
            client.call("update", uri=made, text="tea at six")
            told = wait_for(client, "notifications/resources/updated")
            self.assertEqual(told["params"]["uri"], newest)
            wait_for(client, "notifications/resources/list_changed")
            self.assertEqual(client.ask("resources/unsubscribe", {"uri": newest})["result"], {})


if __name__ == "__main__":
    unittest.main()
