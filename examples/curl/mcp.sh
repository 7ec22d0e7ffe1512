#!/usr/bin/env bash
# The Model Context Protocol over HTTP, message by message: with curl alone.
#
#   examples/curl/mcp.sh [http://127.0.0.1:8765]
#
# Where the server has keys, MNEME_KEY is yours. Lines that begin with #> say what is printed.
set -euo pipefail
url=${1:-http://127.0.0.1:8765}
headers=$(mktemp)
trap 'rm "$headers"' EXIT
always=(${MNEME_KEY:+-H "Authorization: Bearer $MNEME_KEY"} -H 'Accept: application/json, text/event-stream')

say() { # say MESSAGE [HEADER...]
  curl -sS --fail-with-body "${always[@]}" "${@:2}" --json "$1" "$url/mcp"
  echo
}

say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}' -D "$headers"
#> …"protocolVersion":"2025-11-25"…
session=$(tr -d '\r' <"$headers" | sed -n 's/^mcp-session-id: //Ip')
always+=(-H "Mcp-Session-Id: $session" -H 'MCP-Protocol-Version: 2025-11-25')

say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
say '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' | grep -o '"name":"remember"'
#> "name":"remember"
say '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Bo keeps bees"}}}'
#> …"structuredContent":{"uri":"mneme://Note/…
say '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"search","arguments":{"query":"who keeps bees?"}}}'
#> …Bo keeps bees…

curl -sS "${always[@]}" -X DELETE -o /dev/null -w '%{http_code}\n' "$url/mcp"
#> 204
