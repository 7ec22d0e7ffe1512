#include "tools/command/help_topics.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tools/command/text_table.hpp"
#include "tools/protocol/op_table.hpp"

namespace mneme::command {

namespace {

constexpr std::array topics = {
    help_topic{"quickstart", "from nothing to an answer",
               R"(A world is a directory. Make one, write into it, ask it.

  $ mneme init demo
  $ mneme write demo --type Note --tag tea statement="tea at five"
  $ mneme write demo --type Fact statement="Ana likes green tea" subject=Ana predicate=likes
  $ mneme find demo --near "what does Ana drink"
  $ mneme find demo --tag tea --json
  $ mneme verify demo

Every command takes --json. The rest of the help: mneme help
)"},
    help_topic{
        "world", "init, stats, checkpoint",
        R"(One directory holds one world: its journal, its tables, its lock. One process has it open at a
time. A command of one request asks `mneme serve`, `mneme mcp` or a Python program that has it open;
else a second one is told the first one's pid (busy, exit status 3). Commands that only read take
--read-only and then run beside a writer.

  $ mneme init demo --world notes --embedder hash:256
  $ mneme stats demo
  $ mneme stats demo --read-only --json
  $ mneme checkpoint demo

--seed N fixes the world's id, so that the same requests give the same root (mneme help shell).
)"},
    help_topic{"import",
               "jsonl, docs, messages, mem0, markdown, git, facts, generative-agents, an export",
               R"(mneme import DIR PATH… --format FORMAT [--actor NAME] [--no-hashtags]

  jsonl     one write request a line (mneme help write), or add_edge; created_at may be given. Two
            lines of one id must say the same
  docs      {"scope","id","order","text","title"?,"speaker"?,"time"?,"session"?} a line: an Event
            where there is a time, a speaker or a session, else a Note; turns of a session, or of a
            scope that has speakers, are joined by related_to edges of kind "next", or "answer" where
            people talk with each other and a turn that ends with a question mark is followed by
            somebody else's; a turn of a talk that names no time is a second behind the one before
            it; a folder stands for its docs.jsonl. What a document gains later updates
            its memory (whose type stays); an id comes once in a file. The speaker of "Ann Lee
            <ann@example.org>" is Ann Lee; the address stays in the metadata (speaker_address)
  messages  chats as providers have them: [{"role","content"}…] or {"messages":[…]} (OpenAI,
            Anthropic; also one a line), conversations.json of the exports of ChatGPT (the branch
            shown last) and of Claude. As docs: an Event per message, a session per conversation;
            messages without a time are of 2000-01-01, a second apart in their order;
            the scope is --actor, or the file's name. Instructions of systems, calls of tools and
            pieces that are no text are left out and counted
  mem0      what Mem0 exports: a Note per memory, of its user_id, agent_id, run_id or app_id, which
            its clients find (mneme serve --compat mem0)
  reference-memory
            memory.json of the reference memory server: a Topic per entity with its observations,
            edges for relations, as mneme mcp --compat reference-memory has them
  zep       {user_id or graph_id, episodes, nodes, edges, threads: [{thread_id, messages}]} with what
            Zep's interface answers: Notes, Topics and Facts, as mneme serve --compat zep has them
  markdown  a folder: a Note per file, a Chunk per section, references edges along links
  git       a repository: a Note and Chunks per file of HEAD, an Event per commit, an Identity per
            author; binary files, files over 1 MiB, symbolic links and submodules are left out and
            counted; of a message the first 64 KiB are taken, behind the first 12 digits of the hash
            and the author (found by 7 of them or more); names that are not UTF-8 are written
            as git writes them (caf\351.txt)
  facts     {"s","r","o","from"?,"to"?} a line: a Topic per subject, a field per relation, a
            revision per change (mneme help topics); from and to are whole days (days since 1970, or
            YYYY-MM-DD; to is included) or RFC 3339 times (to is excluded)
  generative-agents
            memories.jsonl of a Generative Agents simulation (or its folder): events become Events,
            thoughts Beliefs, chats Notes with the dialogue; the persona is the actor, poignancy the
            importance, keywords tags, evidence derived_from edges. vectors.bin with
            vectors.keys.jsonl are taken too by a world made with --embedder none, personas.jsonl
            makes the fields of their topics
  mneme     what mneme export wrote

docs, messages, git and generative-agents also make topics (of scopes and sessions; of the repository and its
folders; of personas), whose fields are revised when the source says something else: mneme help topics.
What they add is coloured: Core is the scope, repository or persona, Mid six words that it is about,
Outer its month (2023-05). What has fewer words has no colour; mneme tags lists the words, to
whoever may ask the world: --no-hashtags assigns none and colours nothing. Texts that were there
already in the same words (case, accents and spaces apart) are written all the same, and counted.

Ids are derived from the input: what is there already is left alone, what differs is updated, and
the same input twice adds nothing. Several inputs are imported one after the other: where two say
different things of one id, the last one holds. An error names file and line; its batch is not
written.

  $ mneme init demo
  $ printf '{"type":"Note","data":{"statement":"tea at five"}}\n' > notes.jsonl
  $ mneme import demo notes.jsonl --format jsonl
  $ mneme import demo notes.jsonl --format jsonl --json
  $ mkdir -p wiki && printf '# Tea\nSee [[Water]].\n' > wiki/tea.md && printf '# Water\nHot.\n' > wiki/water.md
  $ mneme import demo wiki --format markdown --actor ana
  $ printf '{"scope":"chat","id":"1","speaker":"Ana","text":"The pottery class paints bowls, plates and cups."}\n' > chat.jsonl
  $ mneme import demo chat.jsonl --format docs
  $ mneme retrieve demo "pottery" --top-k 1
  $ mneme chroma demo 'chat undated ana pottery class paints bowls plates'
)"},
    help_topic{
        "export", "the whole world as JSON lines",
        R"(An export has every memory with all its versions and every edge, exactly: imported into another
world it gives the same heads and versions. The same world gives the same bytes. What use has made of
them (accesses, saliences, signals, learned weights, compact records) stays in the world that made it.

  $ mneme init demo
  $ mneme write demo --type Note statement="tea at five"
  $ mneme export demo --out demo.jsonl
  $ mneme init copy
  $ mneme import copy demo.jsonl --format mneme
)"},
    help_topic{
        "write", "write, update, update-head, tombstone",
        R"(A memory has a type, typed data, and versions. Give a request as JSON (mneme help ops), - for
standard input, or flags and FIELD=VALUE; a list field may be given several times.

  $ mneme init demo
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --type Goal statement="learn Go" status=active
  $ mneme write demo '{"type":"Event","data":{"kind":"payment","outcome":"success","cost":{"asset":"EUR","amount":"4.20"}}}'
  $ mneme update demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 statement="learn Go" status=completed
  $ mneme update-head demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 --tag study --importance 8
  $ mneme get demo 'mneme://Goal/01HZZZZZZZZZZZZZZZZZZZZZZ1#1'
  $ mneme tombstone demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 --reason "done"

update replaces the data whole; --expect-version N refuses if another version is current.
Colour is fixed when a memory is written; tags, frames, importance, visibility, lifecycle and
metadata change with update-head, which makes no new version.
)"},
    help_topic{
        "find", "the typed query",
        R"(Conditions are and-ed: types, tags, a predicate, nearness, a walk along edges. With flags alone at
most 20 come back; a request as JSON must say limit or budget_tokens itself.

  $ mneme init demo
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --type Note --tag tea statement="tea at five"
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ2 --type Note --tag tea statement="green tea is out"
  $ mneme edge add demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 references 01HZZZZZZZZZZZZZZZZZZZZZZ2
  $ mneme find demo --type Note --tag tea --count
  $ mneme find demo --near "green tea" --limit 1 --explain
  $ mneme find demo --from 01HZZZZZZZZZZZZZZZZZZZZZZ1 --hops 2 --edge references
  $ mneme find demo --type Note --budget 40 --form short --order version.created_at:desc
  $ mneme find demo '{"types":["Note"],"where":{"matches":["data.statement","gr.en"]},"limit":5}' --json

What no longer holds is not found: what has ended by valid_until or expires_at, and what a newer
memory supersedes or replaces. --include-ended finds it, and so does a walk from a memory. --as-of
finds what was valid at that time.

--min-trust leaves out what is trusted less, --stale false what no longer stands: mneme help trust.

Order by salience, version.created_at, head.last_updated_at, head.declared_importance,
head.created_at, head.id, near.distance or hop. With a limit nothing needs to narrow a query; with
a budget alone a type, a tag, a namespace, near or from must. --actor NAME asks as that agent: it sees its own memories and what others
made actor_public; without it the host asks and sees all. Tombstoned and archived memories come
with --include-tombstoned and --include-archived.
)"},
    help_topic{
        "search", "one question over memories and chunks",
        R"(Words find memories and chunks of documents, best first; each answer says what it looked at.

  $ mneme init demo
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --type Note statement="green tea at five"
  $ mneme search demo "when is tea"
  $ mneme search demo "tea" --memory-type note --sort recency --limit 3 --explain
  $ mneme search demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --json
  $ mkdir docs && printf '# Tea\n\ngreen tea wants 80 degrees\n' > docs/tea.md
  $ mneme ingest-source demo docs
  $ mneme search demo "green tea" --source-type content --path tea.md

Archived memories, and those that a newer one supersedes or replaces, come with --include-archived;
topics that tell of an import alone, with --include-overviews.
Scores are from 0 to 1 over what matched; --floor 0 drops none. How the parts of a score weigh is said
when a world is made, may be changed by its owner, and by a search for itself; --explain shows them:

  $ mneme init other --search vector=0.8,text=0.2,k1=1.2,b=0.75,neighbours=0
  $ mneme init haus --language german
  $ mneme search demo "green tea" --weights neighbours=0,dates=0 --explain
  $ mneme weights demo --set neighbours=0.2
  $ mneme weights demo --reset
)"},
    help_topic{
        "trust", "what memories rest on",
        R"(A memory may say how far it is trusted (0 to 1) and whose word it is: user, tool, model or web. What
rests on it (edges derived_from, evidence of Beliefs, sources of Patterns, derived_from of a
provenance) is trusted no further. A context quotes what is trusted less than 0.5.

  $ mneme init demo
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --type Note statement="tea heals" --source-class web
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ2 --type Note statement="drink more tea" --trust 0.9
  $ mneme edge add demo 01HZZZZZZZZZZZZZZZZZZZZZZ2 derived_from 01HZZZZZZZZZZZZZZZZZZZZZZ1
  $ mneme get demo 01HZZZZZZZZZZZZZZZZZZZZZZ2
  $ mneme search demo "tea" --min-trust 0.5
  $ mneme context demo

When a memory is tombstoned, superseded or contradicted, what rests on it is stale until it is
written anew or affirmed:

  $ mneme tombstone demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 --reason "no source"
  $ mneme stale demo 01HZZZZZZZZZZZZZZZZZZZZZZ1
  $ mneme find demo --type Note --stale false
  $ mneme update-head demo 01HZZZZZZZZZZZZZZZZZZZZZZ2 --affirm
)"},
    help_topic{
        "topics", "ingest, retrieve, revise, forget, unarchive",
        R"(A topic is a memory of type Topic whose fields are versioned one by one: a new value is a new
revision, and the old ones stay. A value says from when until when it is true.

  $ mneme init demo
  $ mneme ingest demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --title "North harbour" --summary "where the ferries land" depth_m=12.5
  $ mneme ingest demo --topic 01HZZZZZZZZZZZZZZZZZZZZZZ1 keeper=Ana --valid-from 2020-01-01 --valid-until 2022-01-01
  $ mneme ingest demo --topic 01HZZZZZZZZZZZZZZZZZZZZZZ1 keeper=Bo --valid-from 2022-01-01 --why "Ana retired"
  $ mneme ingest demo --title "Ferries" --link 01HZZZZZZZZZZZZZZZZZZZZZZ1:related_to:land_at
  $ mneme retrieve demo "who keeps the harbour" --field keeper
  $ mneme retrieve demo "who keeps the harbour" --as-of 2021-06-01 --no-touch
  $ mneme retrieve demo "harbour" --stage temporal --topic 01HZZZZZZZZZZZZZZZZZZZZZZ1 --history
  $ mneme get demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 --history --events
  $ mneme revise demo
  $ mneme forget demo

retrieve reinforces what it returns (+0.1 topic_salience); --no-touch, --at-seq and --read-only do
not. revise merges topics with equal titles; forget without words archives those below 0.05;
unarchive brings one back. Nothing is deleted. More: docs/RETRIEVE.md.
)"},
    help_topic{
        "forgetting", "forget and supersede by words, restore, update --replace",
        R"(forget selects what words mean and takes it out of every answer: by identifier (an address, a
code, a number, a path, a text in quotes), else by name ("everything about X"), else by meaning.
supersede writes a memory in place of what said the old of the same. --dry-run only shows what is
selected, and why. update --replace changes one span of a text and keeps the rest.

  $ mneme init demo
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --type Note statement="Globex wants the report in blue."
  $ mneme write demo --type Note statement="My address is 5 Elm Road."
  $ mneme forget demo "everything about Globex" --dry-run
  $ mneme update demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 --replace "in blue" "in red"
  $ mneme supersede demo --type Note statement="My address is now 12 Oak Street."
  $ mneme forget demo "everything about Globex" --reason "the contract is over"
  $ mneme restore demo 01HZZZZZZZZZZZZZZZZZZZZZZ1

restore brings back what was forgotten, superseded or tombstoned, as it was; it takes several ids.
Where nothing is meant, nothing is forgotten. More: docs/FORGETTING.md.
)"},
    help_topic{
        "keys", "memories by a key of your own, payloads, lists, histories, what has expired",
        R"(put writes the memory that has a key of your own (a namespace and a name in it), or makes it; what
was tombstoned is back. A payload is JSON of your own, given back as it is, and not searched.

  $ mneme init demo
  $ mneme put demo profiles user-7 --type Note statement="Ana takes her tea without milk." --payload '{"sugar":0}'
  $ mneme put demo profiles user-7 --type Note statement="Ana takes her tea with milk."
  $ mneme get demo --namespace profiles --key user-7
  $ mneme history demo --namespace profiles --key user-7
  $ mneme put demo cache answer-12 --type Note statement="It rains." --expires-at 2000-01-01T00:00:00Z
  $ mneme list demo --namespace profiles --limit 5
  $ mneme namespaces demo
  $ mneme actors demo
  $ mneme sweep demo --by keeper
  $ mneme delete-by demo profiles user-7 --reason "moved away"
  $ mneme list demo --include-tombstoned --at 2099-01-01T00:00:00Z

list and history are newest first. sweep tombstones what has expired. --at TIME stands wherever
--at-seq does. More: docs/KEYS.md.
)"},
    help_topic{"where", "predicates and their fields", R"(A predicate is an object with one key:
  {"eq":[FIELD,VALUE]}  and ne, gt, gte, lt, lte     {"in":[FIELD,[VALUE…]]}
  {"has_tag":TAG}   {"matches":[FIELD,PATTERN]}      {"and":[…]}  {"or":[…]}  {"not":{…}}

Fields:
  head.id type current_version actor_scope visibility declared_importance tombstoned created_at
       last_updated_at namespace key
  version.version created_at created_by expires_at confidence valid_from valid_until
          provenance.source provenance.signed_by_present
  data.NAME  a field of the types asked, such as data.status or data.cost.amount
  meta.NAME  metadata

Times are RFC 3339 text or integer nanoseconds. On a memory that has not got the field every
predicate is false, ne too. Patterns are RE2, anywhere in the text; those of one request have
262,144 steps together (a letter is one, a dot eight).

  $ mneme init demo
  $ mneme write demo --type Goal --metadata '{"room":"kitchen"}' statement="clean up" status=active
  $ mneme find demo --type Goal --where '{"and":[{"eq":["data.status","active"]},{"eq":["meta.room","kitchen"]}]}'
  $ mneme find demo --type Goal --where '{"not":{"gte":["head.declared_importance",8]}}'
)"},
    help_topic{
        "chroma", "the door by colour: hashtags, signals, decay",
        R"(Hashtags are bound to places in a space of colours, each for good. A set of them is a point: at
least one of the Core zone, one of the Outer zone, 8 in all, 65 % of them Mid. A memory written with
hashtags lies at its point; chroma asks for what is near a point, was used lately, and is strong.

  $ mneme init demo
  $ mneme tag assign demo tea core
  $ for word in leaf cup steam rain moss clay; do mneme tag assign demo $word mid; done
  $ mneme tag assign demo storm outer
  $ mneme write demo --type Note --hashtags '#tea #leaf #cup #steam #rain #moss #clay #storm' statement="first flush"
  $ mneme chroma demo '#tea #leaf #cup #steam #rain #moss #clay #storm' --k 3
  $ mneme chroma demo --text "recent: tea leaf cup steam rain moss clay storm" --no-touch
  $ mneme chroma demo '{"hashtags":["tea","leaf","cup","steam","rain","moss","clay","storm"],"max_distance":20}' --json
  $ mneme suggest demo "a leaf in the rain"
  $ mneme point demo 'tea leaf cup steam rain moss clay storm'
  $ mneme tags demo
  $ mneme decay demo

What an answer shows is reinforced by it, unless --no-touch (or --at-seq, --read-only) says
otherwise. decay weakens what was not used; run it as often as you like.
)"},
    help_topic{
        "edges", "typed, directed edges",
        R"(Types: derived_from supersedes references contradicts corroborates consents_to dispatched_to
attested_by cited_in tombstones part_of instance_of caused_by observed_by related_to. The ends need
not exist. Adding a live edge again changes nothing; a removed one stays readable as tombstoned
and is revived by adding it. edges lists those out of a memory first, then those into it, each by
type (in the order above) and other id; --limit and --offset show a page of them.

  $ mneme init demo
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --type Note statement="one"
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ2 --type Note statement="two"
  $ mneme edge add demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 related_to 01HZZZZZZZZZZZZZZZZZZZZZZ2 --weight 0.5 --kind next
  $ mneme edges demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 --limit 10 --offset 0
  $ mneme edge rm demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 related_to 01HZZZZZZZZZZZZZZZZZZZZZZ2 --reason moved
  $ mneme edges demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 --include-tombstoned --json
)"},
    help_topic{
        "embedder", "what near can and cannot do",
        R"(A world turns text into vectors with the embedder it was made with, until it is given
another one (reembed):
  hash:N  (hash:384 is the default) counts hashed words and parts of words. It needs no model and no
          network and gives the same bits everywhere. It finds texts that share words or parts of
          words ("running" and "runner"); it knows no synonyms and no other languages: "car" is
          not near "automobile".
  http:URL[#model=NAME,dim=N]
          an OpenAI-compatible /v1/embeddings: as good as its model. Writes do not wait for it: the
          vector follows as an entry of its own, and stats counts embeddings_pending. A command
          waits for its own before it ends. Its key comes from MNEME_EMBEDDER_KEY, or from the file
          that MNEME_EMBEDDER_KEY_FILE names; it is never stored. docs/EMBEDDERS.md
  none    no vectors, except those that requests bring (`vector`, `near_vector`); the first one
          fixes the dimension.

  $ mneme init plain --embedder none
  $ mneme init small --embedder hash:64
  $ mneme reembed small --embedder hash:128
  $ mneme write plain '{"type":"Note","data":{"statement":"north"},"vector":[0,1]}'
  $ mneme find plain '{"near_vector":[0.1,0.9],"limit":1}'
)"},
    help_topic{
        "roots", "root, snapshot, prove, verify, replay",
        R"(Every change is an entry of the journal, and one hash, the root, stands for all of it. Who has the
root can check that a memory, an edge or an entry is in the world, or is not, without the world.

  $ mneme init demo
  $ mneme write demo --id 01HZZZZZZZZZZZZZZZZZZZZZZ1 --type Note statement="tea at five"
  $ mneme snapshot demo --reason "before the trip"
  $ mneme root demo
  $ mneme prove demo 01HZZZZZZZZZZZZZZZZZZZZZZ1 --seq 1 --json > proof.json
  $ mneme verify --proof proof.json
  $ mneme verify demo
  $ mneme replay demo --into again
  $ mneme journal demo

verify exits with 1 if there is damage or the proof is false. It needs no lock.
)"},
    help_topic{"branches", "fork, rewind, diff, backup",
               R"(A world's past can go on in another directory, as a world of its own.

  $ mneme init demo
  $ mneme write demo --type Note statement="tea at five"
  $ mneme write demo --type Note statement="coffee at six"
  $ mneme fork demo what_if --at-seq 1
  $ mneme write what_if --type Note statement="cake at six"
  $ mneme diff demo what_if
  $ mneme diff demo --at-seq 1 --at-seq 2 --json
  $ mneme backup demo copy
  $ mneme backup demo --tar > demo.tar
  $ mneme rewind demo --to 1 --keep-as before

fork shares the files that never change. What was committed together (a batch, an import) stays
together. rewind puts the fork in the place of the world, and keeps the world. backup copies what is
new since the last time. All but rewind run beside a process that writes. docs/BRANCHING.md

)"},
    help_topic{
        "erasing", "erase and trim: what must go for good",
        R"(forget and tombstone take a memory out of answers, and restore brings it back. What must be gone
everywhere is erased: values, histories, texts, vectors, as of every seq. Roots and proofs stay.

  $ mneme init demo
  $ mneme write demo --type Note --actor ana statement="tea at five"
  $ mneme write demo --type Note --actor ben statement="coffee at six"
  $ mneme erase demo --owned-by ana --reason "asked for" --by ana --dry-run
  $ mneme erase demo --owned-by ana --reason "asked for" --by ana
  $ mneme verify demo

Ids and uris name memories; --source a source's chunks; --field one field of a topic; --with-derived
also what rests on any of them; --with-branches the same in its forks. There is no way back: only
an import that has it still, and is told --bring-back-erased, writes it again under another id.
docs/ERASURE.md says what it covers, and what it cannot reach.

  $ mneme trim demo --dry-run
  $ mneme trim demo --before 2

trim makes the journal smaller: it drops how a world was used before a point (a seq, a time, or all
so far), and with --versions what memories said before that and have said otherwise since. What is
said now stays; at_seq before the point is seq_unavailable from then on. docs/RETENTION.md
)"},
    help_topic{
        "shell", "requests line by line",
        R"(mneme shell DIR reads one JSON request a line and answers each with one JSON line, in order
(mneme help ops). On a terminal it has a prompt with history and completion and shows tables;
--json switches that off. A bad line is answered with an error, and the next one is read.

  $ printf '%s\n' '{"op":"write","type":"Note","data":{"statement":"tea"}}' '{"op":"root"}' | mneme shell --in-memory
  $ printf '%s\n' '{"op":"clock","now":"2024-01-31T10:00:00Z"}' '{"op":"stats"}' | mneme shell demo --clock manual --seed 7

With --clock manual --seed N the same lines give the same answers, the same journal bytes and the
same root, on disk and in memory. The clock then stands at 2000-01-01T00:00:00Z, or at the last entry of a
reopened world, until the op clock sets it.
)"},
    help_topic{
        "agents", "context, attest, compact, tick",
        R"(What an agent should know first, what came of its intents, what may leave its context, and many
agents at once. Weights and records are the actor's own (docs/AGENTS.md).

  $ mneme init demo
  $ mneme write demo --actor ana --id 00000000000000000000000001 --type Goal statement="serve tea" status=active
  $ mneme write demo --actor ana --id 00000000000000000000000002 --type Note statement="the kettle leaks"
  $ mneme context demo --actor ana --verb find --object service=kitchen --budget 500
  $ mneme context demo --actor ana --query "what is wrong with the kettle" --budget 1500
  $ mneme context demo --actor ana
  $ mneme attest demo mneme://Note/00000000000000000000000002#1 --actor ana --intent tea --outcome success
  $ mneme compact demo mneme://Note/00000000000000000000000002#1 --actor ana --intent tea --step 1
  $ mneme compact demo --load --actor ana --intent tea --step 1
  $ mneme tick demo '{"reads":[{"op":"context","actor":"ana"}],"writes":[]}' --json
)"},
    help_topic{
        "scope", "what one agent lets another one see",
        R"~(A scope is signed by the agent whose memories it opens, or by the host. It stands in a request
as "scope"; the shell takes it with --keys FILE, {"agent": base64 of its Ed25519 public key}.

  $ mneme init demo
  $ mneme write demo '{"actor":"ana","type":"Note","visibility":"scoped","tags":["work"],"data":{"statement":"tea at five"}}'
  $ head -c 32 /dev/urandom | base64 > ana.key
  $ printf '{"ana":"%s"}' "$(mneme scope public --key ana.key)" > keys.json
  $ root=$(mneme snapshot demo --json | sed 's/.*"overall_root":"\([0-9a-f]*\)".*/\1/'); mneme scope sign --key ana.key '{"actor":"ana","snapshot_root":"'$root'","include":{"tags":["work"]},"expires_at":"2200-01-01T00:00:00Z","budget_tokens":500,"granted_by":"ana","granted_to":"sub"}' > scope.json
  $ mneme scope show "$(cat scope.json)"
  $ printf '{"op":"find","types":["Note"],"limit":5,"scope":%s}\n' "$(cat scope.json)" | mneme shell demo --keys keys.json

What is outside is left out of an answer; asking for it by id, or writing without "writable", is
scope_violation. All of it: docs/AGENTS.md
)~"},
    help_topic{
        "servers", "serve, mcp, key: other programs and agents",
        R"~(mneme mcp DIR [--actor NAME] is a server of the Model Context Protocol on standard input and
output: name it in the client's configuration, and its agent has a memory.

mneme serve DIR [--listen 127.0.0.1:8765] [--keys FILE] serves HTTP: POST /v1/op takes any request
of the line protocol, POST /v1/find and the like one op; /mcp is the same MCP server. Without
--keys only this machine is served. A key stands for an actor, and shows what that actor may see:

  $ mneme key add keys.json --actor ana > ana.key
  $ mneme key add keys.json --host --read-only > auditor.key
  $ mneme key list keys.json
  $ mneme key revoke keys.json $(mneme key list keys.json --json | sed 's/.*"id":"\([0-9a-f]*\)".*/\1/')
  $ printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n' | mneme mcp demo

Every route, limit and message: docs/SERVERS.md
)~"},
    help_topic{
        "bench", "what this machine takes for it, beside plain C++ and SQLite",
        R"(mneme bench [--n N,…] [--workloads NAME,…] [--json] [--plot FILE] [--dir DIR] [--seed N]

Loads N seeded memories (vectors, tags, edges, actors) into a new world and asks it what agents ask,
in turns with plain C++ over arrays (the floor) and with SQLite as somebody who knows it well writes
it. The world goes again. Every answer is held against the truth: a wrong one ends the run with exit
status 1, and what says which workload, which query and whose. Several N show how each cost grows.

  W1 load   W2 a durable memory and edge   W3 near   W4a, W4b near in a tag of 1 %, 0.1 %
  W5 tag, type and time by salience   W6 three hops   W7 near in a tag within two hops
  W8 W5 and a durable touch   W9 disk and memory   W10 open and first answers, in a new process
  W11 an actor's own 100 and 1,000 memories: near, W5, by recency, importance and relevance
  search three common words   clients two threads   tick 1,000 agents: near and two writes
  writers not synced, by 64 threads, beside checkpoints   lists 64 of W5 in one call
  actor W3 and W5 by messages
  retrieve   chroma 5 and 50   updates of 100 memories, again and again

  $ mneme bench --n 300 --workloads W3,W5
  $ mneme bench --n 200,400 --workloads W5 --plot costs.svg --json

--json prints {"seed","cores","load","rows":[{"workload","what","n","engine","floor"?,"sqlite"?,
"facts"?}]} (load: of the machine when it began); a side is {"what"?,"repetitions","p50_us",
"p99_us","per_second","right"} (right: share of the answers, of near through graphs their recall)
or, of W9, {"bytes"}. Names of facts end in their unit: _us, _bytes, _percent; without one a fact
is a number.
)"},
    help_topic{
        "errors", "messages and exit statuses",
        R"(An error says what is wrong, its code, and where: mneme: unknown key "limt"; did you mean
"limit"? (unknown_key at limt). With --json the answer {"ok":false,"error":{…}} is also printed.

  0  done
  1  the answer is no: verify found damage, or the proof is false
  2  bad usage, or a request that was refused (it changed nothing)
  3  the store is busy, damaged, of another format, or the system refused

  $ mneme init demo
  $ mneme find demo '{"limt":5}' || test $? -eq 2
  $ mneme find nowhere --limit 1 || test $? -eq 2
)"},
};

std::string ops_text() {
  text_table table({"op", "what", "answer"});
  for (const auto& op : protocol::ops())
    table.add({std::string(op.name), std::string(op.summary), std::string(op.answer)});
  return table.text(static_cast<std::size_t>(-1), false)
         + "\nEvery answer is {\"ok\":true,…} or {\"ok\":false,\"error\":{\"code\",\"message\","
           "\"at\"?,\"faults\"?}}.\nKeys and an example of one op: mneme help OP\n";
}

std::string op_text(const protocol::op_spec& op) {
  std::string text = fmt::format("{}: {}\n\n", op.name, op.summary);
  text_table table({"key", "value", "", ""});
  for (const auto& key : op.keys)
    table.add(
        {std::string(key.name), std::string(key.value->name), key.required ? "required" : "", ""});
  text += table.text(static_cast<std::size_t>(-1), false);
  return text + fmt::format("\nanswer: {}\nexample: {}\n", op.answer, op.example);
}

} // namespace

std::span<const help_topic> help_topics() noexcept {
  return topics;
}

std::optional<std::string> help_text(std::string_view topic) {
  if (topic == "ops") return ops_text();
  const auto found = std::ranges::find(topics, topic, &help_topic::name);
  const auto* op = protocol::find_op(topic);
  if (found == topics.end() && op == nullptr) return std::nullopt;
  if (found == topics.end()) return op_text(*op);
  std::string text(found->text);
  if (op != nullptr) text += "\nThe op of the line protocol:\n\n" + op_text(*op);
  return text;
}

} // namespace mneme::command
