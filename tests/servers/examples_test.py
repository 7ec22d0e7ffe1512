#!/usr/bin/env python3
"""What examples/ shows of the servers: sessions by curl print what they say, and what MCP clients are told to start
or ask answers with its tools."""
# Of: examples/curl/first_steps.sh, examples/curl/by_key.sh, examples/curl/ticks.sh, examples/curl/mcp.sh
# Of: tools/server/mcp/mcp_tools.cpp

import json
import os
import pathlib
import re
import subprocess
import unittest

from served import PATIENCE_S, Folder, Served, Stdio, make_key

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
WANTED = {"search", "remember", "update", "forget"}
BEGIN = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def missing(expected, printed):
    """The first of the lines that what was printed does not have behind the ones before; `…` is anything."""
    lines = iter(printed.splitlines())
    for line in expected:
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        if not any(re.search(pattern, said) for said in lines):
            return line
    return None


class ByCurl(unittest.TestCase):
    def setUp(self):
        self.folder = Folder(self).path

    def run_script(self, script, server, **environment):
        done = subprocess.run([script, f"http://127.0.0.1:{server.port}"], cwd=self.folder, capture_output=True,
                              text=True, timeout=PATIENCE_S, check=False, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, f"{script.name}: {done.stdout}{done.stderr}")
        expected = [line[3:] for line in script.read_text().splitlines() if line.startswith("#> ")]
        self.assertGreater(len(expected), 3)
        self.assertIsNone(missing(expected, done.stdout), f"{script.name} printed:\n{done.stdout}")

    def test_each_session(self):
        scripts = sorted(EXAMPLES.glob("curl/*.sh"))
        self.assertGreaterEqual(len(scripts), 4)
        for script in scripts:
            with self.subTest(script.name), Served(self.folder / script.stem) as server:
                self.run_script(script, server)
                self.assertEqual(server.stop(), 0)

    def test_with_a_key(self):
        keys = self.folder / "keys"
        key = make_key(keys, "--host")
        with Served(self.folder / "w", "--keys", str(keys)) as server:
            for script in sorted(EXAMPLES.glob("curl/*.sh")):
                with self.subTest(script.name):
                    self.run_script(script, server, MNEME_KEY=key)

    def test_what_is_refused_ends_a_session(self):
        keys = self.folder / "keys"
        make_key(keys, "--host")
        with Served(self.folder / "w", "--keys", str(keys)) as server:
            done = subprocess.run([EXAMPLES / "curl/by_key.sh", f"http://127.0.0.1:{server.port}"], check=False,
                                  capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("unauthorized", done.stdout)


class OfClients(unittest.TestCase):
    # Where a client keeps its servers.
    LISTS = {"claude_desktop": "mcpServers", "claude_code": "mcpServers", "cursor": "mcpServers",
             "windsurf": "mcpServers", "gemini_cli": "mcpServers", "vscode": "servers", "zed": "context_servers"}

    def setUp(self):
        self.folder = Folder(self).path

    def server_of(self, path):
        servers = json.loads(path.read_text())[self.LISTS[path.stem.removesuffix("_http")]]
        self.assertEqual(list(servers), ["memory"])
        return servers["memory"]

    def test_each_file_is_of_a_client_and_said_where_it_goes(self):
        files = {path.stem for path in EXAMPLES.glob("mcp/*.json")}
        self.assertEqual({name.removesuffix("_http") for name in files}, set(self.LISTS))
        readme = (EXAMPLES / "mcp/README.md").read_text()
        for name in files:
            self.assertIn(f"`{name}.json`", readme)

    def test_each_command_is_started_and_has_tools(self):
        for path in sorted(EXAMPLES.glob("mcp/*.json")):
            server = self.server_of(path)
            if "command" not in server:
                continue
            with self.subTest(path.name):
                self.assertEqual(server["command"], "/path/to/mneme")
                arguments = [text.replace("${workspaceFolder}", str(self.folder / path.stem))
                             .replace("/srv/ana/memory", str(self.folder / "shared")) for text in server["args"]]
                self.assertEqual(arguments[0], "mcp")
                self.assertLessEqual(set(server), {"type", "command", "args", "env"})
                with Stdio(*arguments[1:]) as client:
                    self.assertEqual(client.start()["serverInfo"]["name"], "mneme")
                    tools = client.ask("tools/list")["result"]["tools"]
                    self.assertLessEqual(WANTED, {tool["name"] for tool in tools})
                    client.call("remember", text=f"{path.stem} was here")
                    self.assertEqual(client.stop(), 0)
        # Those that name one directory remember together.
        with Stdio(self.folder / "shared", "--actor", "ana") as client:
            client.start()
            said = json.dumps(client.call("find", types=["Note"], limit=50))
        for name in ("claude_desktop", "zed", "cursor", "gemini_cli"):
            self.assertIn(f"{name} was here", said)
        self.assertNotIn("vscode was here", said)

    def test_each_address_answers_with_its_headers(self):
        keys = self.folder / "keys"
        key = make_key(keys, "--actor", "ana")
        files = sorted(EXAMPLES.glob("mcp/*_http.json"))
        self.assertEqual(len(files), 3)
        with Served(self.folder / "w", "--keys", str(keys)) as server:
            for path in files:
                with self.subTest(path.name):
                    told = self.server_of(path)
                    self.assertEqual(told["url"], "http://127.0.0.1:8765/mcp")  # mneme serve's own address
                    headers = {name: re.sub(r"\$\{(env:|input:)?(MNEME_KEY|mneme_key)\}", key, text)
                               for name, text in told["headers"].items()}
                    headers["Accept"] = "application/json, text/event-stream"
                    begun = server.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": BEGIN},
                                        headers=headers)
                    self.assertEqual(begun.status, 200, begun.text)
                    headers["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
                    tools = server.post("/mcp", {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, headers=headers)
                    self.assertLessEqual(WANTED, {tool["name"] for tool in tools.json["result"]["tools"]})


if __name__ == "__main__":
    unittest.main(verbosity=2)
