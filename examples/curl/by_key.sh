#!/usr/bin/env bash
# Memories by names of your own, with a payload beside what is searched: with curl alone.
#
#   examples/curl/by_key.sh [http://127.0.0.1:8765]
#
# Where the server has keys, MNEME_KEY is yours. Lines that begin with #> say what is printed.
set -euo pipefail
url=${1:-http://127.0.0.1:8765}
key=(${MNEME_KEY:+-H "Authorization: Bearer $MNEME_KEY"})

post() { # post OP REQUEST: the answer, on one line; what is refused ends the script
  curl -sS --fail-with-body "${key[@]}" --json "$2" "$url/v1/$1"
  echo
}

post put '{"namespace":"profiles","key":"ana","type":"Note","data":{"statement":"Ana takes her tea black"},"payload":"{\"sugar\":0}"}'
#> …"version":1…"outcome":"created"…
post put '{"namespace":"profiles","key":"ana","type":"Note","data":{"statement":"Ana drinks coffee now"}}'
#> …"version":2…"outcome":"updated"…

post get '{"namespace":"profiles","key":"ana"}'
#> …"statement":"Ana drinks coffee now"…
post history '{"namespace":"profiles","key":"ana"}'
#> …"Ana drinks coffee now"…"Ana takes her tea black"…"payload":"{\"sugar\":0}"…

post delete_by '{"namespace":"profiles","key":"ana"}'
#> …"changed":true…

# What is refused says why, and has a status of its own.
curl -sS "${key[@]}" -w '\n%{http_code}\n' --json '{"namespace":"profiles","key":"ana"}' "$url/v1/get"
#> …"code":"tombstoned"…
#> 409

post put '{"namespace":"profiles","key":"ana","type":"Note","data":{"statement":"Ana is back"}}'
#> …"outcome":"revived"…
post namespaces '{}'
#> …"namespace":"profiles","memories":1…
