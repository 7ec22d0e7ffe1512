#!/usr/bin/env bash
# A simulation's tick: many agents read one moment, and what they write is one commit. Then the root over all of it,
# and a proof of one memory that anybody can check. With curl alone.
#
#   examples/curl/ticks.sh [http://127.0.0.1:8765]
#
# Where the server has keys, MNEME_KEY is one of the host's. Lines that begin with #> say what is printed.
set -euo pipefail
url=${1:-http://127.0.0.1:8765}
key=(${MNEME_KEY:+-H "Authorization: Bearer $MNEME_KEY"})

post() { # post OP REQUEST: the answer, on one line; what is refused ends the script
  curl -sS --fail-with-body "${key[@]}" --json "$2" "$url/v1/$1"
  echo
}

agents="ana bo cy"
for hour in 7 8 9; do
  reads= writes=
  for agent in $agents; do
    reads+=',{"op":"find","types":["Note"],"where":{"has_tag":"seen"},"limit":3,"actor":"'$agent'"}'
    writes+=',{"op":"write","type":"Note","tags":["seen"],"actor":"'$agent'","data":{"statement":"'$agent' at '$hour' o'"'"'clock"}}'
  done
  post tick '{"reads":['"${reads#,}"'],"writes":['"${writes#,}"']}' >tick.json
done
# The last tick's reads are of before its writes.
grep -o '"statement":"[^"]*"' tick.json | sort -u
#> "statement":"ana at 7 o'clock"
#> "statement":"ana at 8 o'clock"
#> "statement":"bo at 7 o'clock"
rm tick.json

post root '{}'
#> {"ok":true,"root":"…

id=$(post find '{"types":["Note"],"limit":1,"actor":"ana"}' | sed -E 's/.*"memories":\[\{"id":"([^"]*)".*/\1/')
curl -sS "${key[@]}" "$url/v1/proof?id=$id"
#> …"proofs":[…
