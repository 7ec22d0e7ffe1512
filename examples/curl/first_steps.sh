#!/usr/bin/env bash
# A memory written, asked for in several ways, changed, and read as it was: with curl alone.
#
#   mneme serve town --listen 127.0.0.1:8765 &
#   examples/curl/first_steps.sh [http://127.0.0.1:8765]
#
# Where the server has keys, MNEME_KEY is yours. Lines that begin with #> say what is printed.
set -euo pipefail
url=${1:-http://127.0.0.1:8765}
key=(${MNEME_KEY:+-H "Authorization: Bearer $MNEME_KEY"})

post() { # post OP REQUEST: the answer, on one line; what is refused ends the script
  curl -sS --fail-with-body "${key[@]}" --json "$2" "$url/v1/$1"
  echo
}
member() { # member NAME: its text or number in the answer read
  sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/"
}

curl -sS "$url/health"
#> {"ok":true}

written=$(post write '{"type":"Note","data":{"statement":"tea is served at five"},"tags":["tea"],"actor":"ana"}')
echo "$written"
#> {"ok":true,"uri":"mneme://Note/…#1"…
uri=$(member uri <<<"$written")
id=$(member id <<<"$written")
seq=$(member seq <<<"$written")

# What is meant, in words; as ana, for others do not see what is hers.
post search '{"query":"when is tea?","actor":"ana","limit":3}'
#> …"content":"tea is served at five"…

# What is known of it: type, tag, fields.
post find '{"types":["Note"],"where":{"has_tag":"tea"},"actor":"ana","limit":3}'
#> {"ok":true,"memories":[{…"statement":"tea is served at five"…

post update '{"uri":"'"$uri"'","data":{"statement":"tea is served at six"},"actor":"ana"}'
#> …#2…

curl -sS "${key[@]}" "$url/v1/memories/$id?actor=ana"
#> …"statement":"tea is served at six"…
curl -sS "${key[@]}" "$url/v1/memories/$id?actor=ana&at_seq=$seq"
#> …"statement":"tea is served at five"…

# What an agent is to know before a task, in at most so many tokens.
post context '{"query":"tea","budget_tokens":300,"actor":"ana"}'
#> …"found":[…tea is served at six…
