// Made by scripts/generate.mjs from the OpenAPI document of `mneme serve`; not to be edited.

export interface components {
    schemas: {
        absent_answer: {
            absent: boolean;
            best_match?: number;
            fields?: {
                erased?: string;
            }[];
            ids?: {
                erased?: string;
            }[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            nearest?: Record<string, unknown>[];
            /** @constant */
            ok: true;
            proof?: Record<string, unknown>;
            root: string;
            searched?: Record<string, unknown>;
            seq: number;
        };
        absent_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description By what was valid then. RFC 3339, or nanoseconds since 1970. */
            as_of?: string | number;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Fields that are to be in no topic: {topic, name}, with proofs. */
            fields?: {
                name: string;
                topic: string;
            }[];
            /** @description Ids that are to be of no memory, each with a proof. */
            ids?: string[];
            /** @description Also what no longer holds: ended by valid_until or expires_at, or superseded. */
            include_ended?: boolean;
            /** @description From which match on (0 to 1) a memory says it; 0.25 by default. */
            least_match?: number;
            /** @description Only memories of this type. */
            memory_type?: string;
            /** @description 0 to 1: leaves out what is trusted less, by itself or by what it rests on. */
            min_trust?: number;
            /** @description RFC 3339, or nanoseconds since 1970. */
            now?: string | number;
            /** @constant */
            op?: "absent";
            /** @description Only memories of this project. */
            project?: string;
            /** @description What no memory is to say, in plain words. */
            query?: string;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description all (default), memory or content (chunks of documents). */
            source_type?: string;
            /** @description Only memories with this tag. */
            tag?: string;
        };
        actors_answer: {
            actors: {
                actor: string;
                memories: number;
            }[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
        };
        actors_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "actors";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
        };
        add_edge_answer: {
            changed: boolean;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
        };
        add_edge_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Who does it; the actor by default. */
            by?: string;
            /** @description Opaque bytes, as base64. */
            data?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Id of the memory that the edge goes to. */
            dst: string;
            /** @description A word of your own for the link. */
            kind?: string;
            /** @constant */
            op?: "add_edge";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Id of the memory that the edge leaves. */
            src: string;
            /**
             * @description What the first is to the second.
             * @enum {string}
             */
            type: "derived_from" | "supersedes" | "references" | "contradicts" | "corroborates" | "consents_to" | "dispatched_to" | "attested_by" | "cited_in" | "tombstones" | "part_of" | "instance_of" | "caused_by" | "observed_by" | "related_to";
            /** @description Strength of the link; 1 by default. */
            weight?: number;
        };
        assign_tag_answer: {
            anchor: number;
            changed: boolean;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            tag: string;
            /** @enum {unknown} */
            zone: "Core" | "Mid" | "Outer";
        };
        assign_tag_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            anchor?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "assign_tag";
            tag: string;
            zone?: string;
        };
        attest_answer: {
            learned: boolean;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            skipped: string[];
            weights: {
                [key: string]: number;
            };
        };
        attest_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Uris of the memories that it rested on. */
            cited: string[];
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Name of what was attempted, of your choice. */
            intent_id: string;
            /** @constant */
            op?: "attest";
            /**
             * @description How it ended.
             * @enum {string}
             */
            outcome: "success" | "failure";
            /** @description Why; factual_error and wrong_assumption count against what was cited. */
            reason?: string;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
        };
        batch_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            results: components["schemas"]["item"][];
            seq: number;
        };
        batch_request: {
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            items: Record<string, unknown>[];
            /** @constant */
            op?: "batch";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
        };
        changes_answer: {
            changes: Record<string, unknown>[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            more: boolean;
            next: number;
            /** @constant */
            ok: true;
            seq: number;
        };
        changes_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Only of memories with all of these hashtags. */
            hashtags?: string[];
            /** @description Only of these memories (ids or uris), and edges of them. */
            ids?: string[];
            /** @description Also what a power cut may still take back: relaxed writes of C++ hosts. */
            include_unsynced?: boolean;
            /** @description Also finds, reinforcements, decay and the like, which change nothing that was said. */
            include_uses?: boolean;
            /** @description Only these kinds of changes. */
            kinds?: ("written" | "updated" | "head_changed" | "tombstoned" | "restored" | "edge_added" | "edge_removed" | "field_changed" | "archived" | "unarchived" | "merged" | "salience_set" | "erased" | "hidden" | "tag_assigned" | "weights_set" | "snapshot_taken" | "scope_violated" | "trimmed" | "embedded" | "found" | "reinforced" | "decayed" | "attested" | "learned" | "compacted")[];
            /** @description At most so many; 100 by default, up to 1,000. */
            limit?: number;
            /** @description Only what these actors did; "" is the host. */
            made_by?: string[];
            /** @description Only of what was put into these. */
            namespaces?: string[];
            /** @constant */
            op?: "changes";
            /** @description Only of memories of these actors. */
            owners?: string[];
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description What comes behind this seq: `next` of the answer before. Without it what comes from now on. */
            since?: number;
            /** @description Only of memories with all of these tags. */
            tags?: string[];
            /** @description Only of these types of memories. */
            types?: ("Identity" | "Fact" | "Preference" | "Belief" | "Event" | "Goal" | "Constraint" | "Capability" | "Pattern" | "Decision" | "Commitment" | "Blocker" | "Note" | "Topic" | "Chunk")[];
            /** @description How long to wait for a change where there is none yet; up to 60,000. */
            wait_ms?: number;
            /** @description true: each change has the memory as it was then. */
            with_record?: boolean;
        };
        checkpoint_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
        };
        checkpoint_request: {
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "checkpoint";
        };
        chroma_answer: {
            at_seq: number;
            candidates_scanned?: number;
            hashtags: string[];
            layout_traits?: Record<string, unknown>;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            notes?: Record<string, unknown>;
            /** @constant */
            ok: true;
            point: Record<string, unknown>;
            profile: string;
            results: {
                distance: number;
                /** @constant */
                ended?: true;
                hashtags: string[];
                id: string;
                /** @constant */
                lineage_truncated?: true;
                recency: number;
                relevance: number;
                score: number;
                /** @enum {unknown} */
                source_class?: "user" | "tool" | "model" | "web";
                /** @constant */
                stale?: true;
                strength_norm: number;
                /** @constant */
                superseded?: true;
                trust?: number;
                uri: string;
            }[];
            seq?: number;
        };
        chroma_many_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            results: components["schemas"]["item"][];
        };
        chroma_many_request: {
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            items: Record<string, unknown>[];
            /** @constant */
            op?: "chroma_many";
        };
        chroma_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Allow a faster, inexact ranking. */
            approximate?: boolean;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description At least 8 assigned hashtags; they fix the point in colour space. */
            hashtags?: string[];
            /** @description Also what no longer holds: ended by valid_until or expires_at, or superseded. */
            include_ended?: boolean;
            /** @description Also what decay has let rot. */
            include_rotten?: boolean;
            /** @description How many results. */
            k?: number;
            /** @description Nothing farther than this in colour space. */
            max_distance?: number;
            /** @description {key: value}, {key: [values]} or {key: {"$gte": n}}. */
            metadata_filters?: {
                [key: string]: (string | number | boolean) | (string | number | boolean)[] | {
                    $contains?: unknown;
                    $gt?: unknown;
                    $gte?: unknown;
                    $lt?: unknown;
                    $lte?: unknown;
                };
            };
            /** @constant */
            op?: "chroma";
            /**
             * @description How text is read.
             * @enum {string}
             */
            profile?: "default" | "knowledge_patch";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description {relevance, recency, strength}. */
            score_weights?: {
                recency: number;
                relevance: number;
                strength: number;
            };
            /** @description [start or null, end or null] of the creation time. */
            temporal_range?: (string | number | null)[];
            /** @description Plain words; the hashtags that they name are used. */
            text?: string;
            /** @description false: do not reinforce what the answer shows. */
            touch?: boolean;
        };
        clock_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            now: string;
            /** @constant */
            ok: true;
        };
        clock_request: {
            /** @description RFC 3339, or nanoseconds since 1970. */
            now: string | number;
            /** @constant */
            op?: "clock";
        };
        compact_answer: {
            compacted: Record<string, unknown>[];
            kept: Record<string, unknown>[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            skipped: string[];
            tokens: number;
        };
        compact_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description At most so many tokens of text in the answer. */
            budget_tokens?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            in_context: string[];
            intent_id: string;
            load_bearing: string[];
            /** @constant */
            op?: "compact";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            step_id: string;
        };
        context_answer: {
            at_seq: number;
            budget_tokens: number;
            embedder_problem?: unknown;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            more: number;
            note?: string;
            /** @constant */
            ok: true;
            reachable_uris: string[];
            receipt?: Record<string, unknown>;
            tiers: {
                found: components["schemas"]["context_items"];
                frame_relevant: components["schemas"]["context_items"];
                notable: components["schemas"]["context_items"];
                outcomes: components["schemas"]["context_items"];
                pinned: components["schemas"]["context_items"];
            };
            tokens: number;
        };
        context_items: {
            at: string;
            by: string;
            /** @constant */
            ended?: true;
            id: string;
            /** @constant */
            lineage_truncated?: true;
            older_of?: string;
            salience: number;
            score?: number;
            /** @enum {unknown} */
            source_class?: "user" | "tool" | "model" | "web";
            /** @constant */
            stale?: true;
            /** @constant */
            superseded?: true;
            text: string;
            tokens: number;
            trust?: number;
            uri: string;
        }[];
        context_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description At most so many tokens of text in the answer. */
            budget_tokens?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /**
             * @description How long each text is.
             * @enum {string}
             */
            form?: "short" | "medium" | "full";
            /** @description Also what no longer holds: ended by valid_until or expires_at, or superseded. */
            include_ended?: boolean;
            /** @description Only these parts. */
            include_tiers?: ("pinned" | "outcomes" | "frame_relevant" | "found" | "notable")[];
            /** @description 0 to 1: leaves out what is trusted less, by itself or by what it rests on. */
            min_trust?: number;
            /** @description The time to weigh by; now by default. RFC 3339, or nanoseconds since 1970. */
            now?: string | number;
            /** @description What with: {service|model|agent|knowledge|intent|asset|plan|capability: name}. */
            objects?: {
                [key: string]: string;
            };
            /** @constant */
            op?: "context";
            /** @description How many past outcomes; 3 by default. */
            outcome_limit?: number;
            /** @description The question or the task, in words: what is known of it comes too. */
            query?: string;
            /** @description true: also a receipt of the answer, which replay_receipt asks again. A retrieve then reinforces nothing. */
            receipt?: boolean;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description The query's vector, where the world has no embedder. */
            vector?: number[] | string;
            /**
             * @description What you are about to do.
             * @enum {string}
             */
            verb?: "find" | "acquire" | "build" | "modify" | "deliver" | "analyze" | "negotiate" | "schedule" | "monitor" | "delegate";
        };
        decay_answer: {
            ascended: number;
            decayed: number;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            rotten: number;
            seq: number;
        };
        decay_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "decay";
        };
        delete_by_answer: {
            changed: boolean;
            id: string | null;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
        };
        delete_by_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Who does it; the actor by default. */
            by?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Refuse (version_conflict) if another version is current. */
            expect_version?: number;
            /** @description What the host calls the memory by, in its namespace. */
            key: string;
            /** @description Namespace of a key. */
            namespace: string;
            /** @constant */
            op?: "delete_by";
            /** @description Why. */
            reason?: string;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
        };
        edge: {
            created_at: string;
            created_by: string;
            data: string;
            dst: string;
            kind: string;
            src: string;
            tombstoned: boolean;
            tombstoned_at: string | null;
            tombstoned_by: string;
            tombstoned_reason: string;
            type: string;
            weight: number;
        };
        edges_answer: {
            edges: components["schemas"]["edge"][];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
        };
        edges_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /**
             * @description Which edges.
             * @enum {string}
             */
            direction?: "out" | "in" | "both";
            /** @description Id of a memory (26 characters). */
            id?: string;
            include_tombstoned?: boolean;
            /** @description At most so many results. */
            limit?: number;
            /** @description Skip so many results. */
            offset?: number;
            /** @constant */
            op?: "edges";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            types?: string[];
            /** @description Uri of a memory: mneme://Type/ID#VERSION. */
            uri?: string;
        };
        erase_answer: {
            branches: string[];
            changed: boolean;
            dry_run: boolean;
            edges: number;
            entries: number;
            erased: string[];
            erased_before: string[];
            fields?: Record<string, unknown>[];
            fields_erased_before?: Record<string, unknown>[];
            in_branches?: Record<string, unknown>[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            memories: Record<string, unknown>[];
            not_found: unknown;
            /** @constant */
            ok: true;
            seq: number;
        };
        erase_request: {
            /** @description Who wants it. It stays in the journal. */
            by: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description true: only say what would go. */
            dry_run?: boolean;
            /** @description Of the one topic that ids names only this field, with its history. */
            field?: string;
            /** @description Ids or uris of memories. */
            ids?: string[];
            /** @constant */
            op?: "erase";
            /** @description Every memory of this actor. */
            owned_by?: string;
            /** @description Why. It stays in the journal: nothing of what is erased. */
            reason: string;
            /** @description Every chunk of the source of this path. */
            source?: string;
            /** @description The same in every branch that notes lead to. */
            with_branches?: boolean;
            /** @description Also whatever rests on one of them, however far. */
            with_derived?: boolean;
        };
        error: {
            error: {
                at?: string;
                /** @enum {string} */
                code: "bad_json" | "bad_utf8" | "line_too_long" | "unknown_op" | "unknown_key" | "missing_key" | "wrong_type" | "bad_value" | "out_of_range" | "bad_uri" | "bad_id" | "bad_time" | "bad_vector" | "dim_mismatch" | "bad_interval" | "missing_field" | "limit_exceeded" | "form_too_long" | "not_found" | "already_exists" | "tombstoned" | "erased" | "no_op" | "type_data_mismatch" | "bad_transition" | "version_conflict" | "invalid_edge_type" | "self_edge" | "zero_id" | "unbounded" | "unsupported" | "too_broad" | "max_hops_exceeded" | "bad_hops" | "bad_field" | "type_mismatch" | "field_not_comparable" | "field_unknown" | "bad_regex" | "no_embedder" | "no_vector" | "bad_stage" | "empty_query" | "bad_hashtags" | "tag_assigned" | "anchor_taken" | "zone_full" | "query_profile_error" | "empty_citations" | "too_many_citations" | "rate_limited" | "budget_unreachable" | "budget_exceeded" | "scope_violation" | "no_key_resolver" | "actor_mismatch" | "bad_schema" | "empty_include" | "scope_expired" | "unknown_agent" | "bad_signature" | "snapshot_unknown" | "proof_mismatch" | "root_unavailable" | "seq_unavailable" | "deadline_exceeded" | "busy" | "corrupt" | "format_unsupported" | "read_only" | "io" | "outcome_unknown" | "shutdown" | "disk_full" | "behind" | "trimmed" | "bad_content_type" | "bad_length" | "bad_request" | "forbidden" | "header_too_long" | "method_not_allowed" | "too_slow" | "unauthorized";
                /** @description Where several places of the request are wrong: all of them. */
                faults?: {
                    at: string;
                    code: string;
                    message: string;
                }[];
                message: string;
            };
            /** @constant */
            ok: false;
        };
        find_answer: {
            at_seq: number;
            candidates_scanned?: number;
            distances: number[];
            /** @enum {unknown} */
            form: "short" | "medium" | "full" | null;
            form_defaulted: boolean;
            hops: number[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            memories: components["schemas"]["memory"][];
            /** @enum {unknown} */
            near_mode?: "exact" | "hnsw";
            /** @constant */
            ok: true;
            plan?: Record<string, unknown>;
            receipt?: Record<string, unknown>;
            rendered: string[];
            rendered_tokens: number[];
            scores: number[];
            seq?: number;
            total?: number;
            trimmed_by_budget: number;
            truncated?: boolean;
            via?: ({
                dst: string;
                src: string;
                type: string;
            } | null)[];
        };
        find_many_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            results: components["schemas"]["item"][];
        };
        find_many_request: {
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            items: Record<string, unknown>[];
            /** @constant */
            op?: "find_many";
        };
        find_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Only what was true at this time. RFC 3339, or nanoseconds since 1970. */
            as_of?: string | number;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description At most so many tokens of text in the answer. */
            budget_tokens?: number;
            /** @description Also say how many there are in all. */
            count?: boolean;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Never an approximate near. */
            exact?: boolean;
            /** @description Also say how the answer came about. */
            explain?: boolean;
            /** @description How to walk: edge types, direction, min_hops, max_hops (up to 6). */
            follow?: {
                direction?: string;
                include_tombstoned?: boolean;
                max_hops?: number;
                max_visited?: number;
                min_hops?: number;
                types?: string[];
            };
            /**
             * @description How long each text is.
             * @enum {string}
             */
            form?: "short" | "medium" | "full";
            /** @description Walk along edges from this memory (id or uri). */
            from?: string;
            /** @description Also archived memories. */
            include_archived?: boolean;
            /** @description Also what no longer holds: ended by valid_until or expires_at, or superseded. */
            include_ended?: boolean;
            /** @description Also what was forgotten. */
            include_tombstoned?: boolean;
            /** @description Reinforce what is found; journaled. */
            late_binding?: boolean;
            /** @description At most so many results. */
            limit?: number;
            /** @description 0 to 1: leaves out what is trusted less, by itself or by what it rests on. */
            min_trust?: number;
            /** @description Nearest in meaning to this text. */
            near?: string;
            /** @description How many nearest to keep; with a budget alone as many as fit. */
            near_k?: number;
            /** @description Nearest in meaning to this memory. */
            near_uri?: string;
            /** @description Nearest to this vector. */
            near_vector?: number[] | string;
            /** @description The time to weigh by, and by which things end; now by default. RFC 3339, or nanoseconds since 1970. */
            now?: string | number;
            /** @description Skip so many results. */
            offset?: number;
            /** @constant */
            op?: "find";
            /** @description [{field, dir}] with salience, version.created_at, head.last_updated_at, head.declared_importance, head.created_at, head.id, near.distance or hop. */
            order_by?: {
                dir?: string;
                field: string;
            }[];
            /** @description The same as near. */
            query?: string;
            /**
             * @description Order of what near finds.
             * @enum {string}
             */
            rank?: "salience" | "distance";
            /** @description true: also a receipt of the answer, which replay_receipt asks again. A retrieve then reinforces nothing. */
            receipt?: boolean;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Only these members of each memory; all by default. */
            select?: ("id" | "uri" | "type" | "current_version" | "actor_scope" | "visibility" | "declared_importance" | "tags" | "frames" | "metadata" | "lifecycle" | "colour" | "tombstone" | "created_at" | "last_updated_at" | "embedding" | "forms" | "activation" | "version" | "namespace" | "key")[];
            /** @description false: nothing that rests on what has changed since; true: nothing else. */
            stale?: boolean;
            /** @description Only memories with all of these tags. */
            tags?: string[];
            /** @description Only these types. */
            types?: ("Identity" | "Fact" | "Preference" | "Belief" | "Event" | "Goal" | "Constraint" | "Capability" | "Pattern" | "Decision" | "Commitment" | "Blocker" | "Note" | "Topic" | "Chunk")[];
            /** @description A test on fields, an object with one key: {"has_tag":"tea"}, {"eq":["data.status","active"]}, ne, gt, gte, lt, lte, in, matches, and, or, not. Fields: data.*, head.*, version.*, meta.*. */
            where?: Record<string, unknown>;
        };
        forget_answer: {
            archived: string[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
        };
        forget_matching_answer: {
            dry_run: boolean;
            embedder_problem?: unknown;
            forgotten: number;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            note?: string;
            /** @constant */
            ok: true;
            selected: components["schemas"]["selected"][];
            seq: number;
        };
        forget_matching_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Who does it; the actor by default. */
            by?: string;
            /**
             * @description What kind of end it is.
             * @enum {string}
             */
            cause?: "superseded" | "wrong" | "deleted" | "expired";
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description true: only show what would be forgotten, and why. */
            dry_run?: boolean;
            /** @description Refuse if more than this many match; 1,000 by default. Nothing is cut off. */
            limit?: number;
            /** @description The time to weigh by; now by default. RFC 3339, or nanoseconds since 1970. */
            now?: string | number;
            /** @constant */
            op?: "forget_matching";
            /** @description Why. */
            reason?: string;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Only memories with all of these tags. */
            tags?: string[];
            /** @description Only these types; all but Chunk by default. */
            types?: ("Identity" | "Fact" | "Preference" | "Belief" | "Event" | "Goal" | "Constraint" | "Capability" | "Pattern" | "Decision" | "Commitment" | "Blocker" | "Note" | "Topic" | "Chunk")[];
            /** @description The words' vector, where the world has no embedder. */
            vector?: number[] | string;
            /** @description What to forget, in plain words: "everything about the Globex contract", "ana@example.org", "that the harbour fee is five". */
            words: string;
        };
        forget_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "forget";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
        };
        get_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            memory: components["schemas"]["memory"];
            /** @constant */
            ok: true;
            raw?: string;
        };
        get_edge_answer: {
            edge: components["schemas"]["edge"];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
        };
        get_edge_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            dst: string;
            /** @constant */
            op?: "get_edge";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            src: string;
            type: string;
        };
        get_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Of a topic: also its audit log. */
            events?: boolean;
            /** @description Of a topic: also the earlier values of its fields. */
            history?: boolean;
            /** @description At most so many earlier values of a field; 500 by default. */
            history_limit?: number;
            /** @description Id of a memory (26 characters). */
            id?: string;
            /** @description What the host calls the memory by, in its namespace. */
            key?: string;
            /** @description Namespace of a key. */
            namespace?: string;
            /** @constant */
            op?: "get";
            /** @description Also the canonical bytes of the head. */
            raw?: boolean;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Uri of a memory: mneme://Type/ID#VERSION. */
            uri?: string;
        };
        history_answer: {
            at_seq: number;
            current_version: number;
            id: string;
            key?: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            namespace?: string;
            /** @constant */
            ok: true;
            tombstone: components["schemas"]["tombstone"];
            type: string;
            versions: (components["schemas"]["version"] | {
                changes: Record<string, unknown>[];
                /** @constant */
                trimmed: true;
                trimmed_by: number;
                version: number;
            })[];
        };
        history_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Only versions below this one. */
            before?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Id of a memory (26 characters). */
            id?: string;
            /** @description What the host calls the memory by, in its namespace. */
            key?: string;
            /** @description At most so many results. */
            limit?: number;
            /** @description Namespace of a key. */
            namespace?: string;
            /** @constant */
            op?: "history";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Uri of a memory: mneme://Type/ID#VERSION. */
            uri?: string;
        };
        hit: {
            audience: string | null;
            chunk_index?: number;
            content: string;
            created_at: string;
            due_date: string | null;
            ended: boolean;
            field?: string;
            id: string;
            /** @constant */
            lineage_truncated?: true;
            match: number;
            memory_type?: string;
            metadata: Record<string, unknown>;
            overdue: boolean;
            path?: string;
            project: string;
            raw_score: number;
            rendered?: string;
            score: number;
            /** @enum {unknown} */
            source_class?: "user" | "tool" | "model" | "web";
            /** @enum {unknown} */
            source_type: "memory" | "content_chunk";
            /** @constant */
            stale?: true;
            status: string | null;
            /** @constant */
            superseded?: true;
            tags: string[];
            title: string;
            tokens?: number;
            truncated: boolean;
            trust?: number;
            updated_at: string;
            uri: string;
        };
        ingest_answer: {
            applied: string[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            revisions: {
                [key: string]: number;
            };
            same_title_ids: string[];
            seq: number;
            similar_topic_ids: string[];
            topic_id: string;
        };
        ingest_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Named values, each with its own history: {"city": "Porto"}, or {"city": {"value": "Porto", …}} to say more of it. null is the same as not given. */
            fields?: {
                [key: string]: {
                    field_type?: string;
                    impact_expected?: string;
                    operation?: string;
                    provenance?: {
                        attestations?: string[];
                        derived_from?: string[];
                        sig?: string;
                        signed_at?: string | number;
                        signed_by?: string;
                        source?: string;
                        source_class?: string;
                        trust?: number;
                    };
                    ref_topic_id?: string;
                    salience?: number;
                    source_class?: string;
                    trust?: number;
                    valid_from?: string | number;
                    valid_until?: string | number;
                    value: unknown;
                    why_changed?: string;
                } | (string | number | boolean | unknown[]);
            };
            /** @description Edges to other topics: [{topic_id, type, kind}]. */
            links?: {
                kind?: string;
                topic_id: string;
                type?: string;
            }[];
            /** @constant */
            op?: "ingest";
            /**
             * @description new_topic (needs a title), extend_topic (more fields or links), or version_field (the next value of one field).
             * @enum {string}
             */
            placement: "new_topic" | "extend_topic" | "version_field";
            /** @description How much the topic matters; 1 by default. */
            salience?: number;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /**
             * @description Whose word this is: trust is 1, 0.8, 0.6 or 0.3 by default.
             * @enum {string}
             */
            source_class?: "user" | "tool" | "model" | "web";
            /** @description What the topic is, in a sentence or two. */
            summary?: string;
            /** @description Title of the topic. */
            title?: string;
            /** @description Id of the topic to extend. */
            topic_id?: string;
            /** @description person, place, project or any other word. */
            topic_kind?: string;
            /** @description 0 to 1: how far this is to be trusted. By default that of its source_class, or 1. */
            trust?: number;
            /** @description The embedding, where the caller makes its own. */
            vector?: number[] | string;
            /**
             * @description Who may see it: private to the actor, scoped, or actor_public.
             * @enum {string}
             */
            visibility?: "private" | "scoped" | "actor_public";
        };
        ingest_source_answer: {
            added: number;
            changed: boolean;
            files: number;
            left_out: {
                [key: string]: number;
            };
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            removed: number;
            seq: number;
            unchanged: number;
            updated: number;
        };
        ingest_source_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            audience?: string;
            bring_back_erased?: boolean;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "ingest_source";
            path: string;
            /**
             * @description Whose word this is: trust is 1, 0.8, 0.6 or 0.3 by default.
             * @enum {string}
             */
            source_class?: "user" | "tool" | "model" | "web";
            /**
             * @description Who may see it: private to the actor, scoped, or actor_public.
             * @enum {string}
             */
            visibility?: "private" | "scoped" | "actor_public";
        };
        item: {
            ok: boolean;
        };
        journal_answer: {
            entries: Record<string, unknown>[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            next: number | null;
            /** @constant */
            ok: true;
        };
        journal_request: {
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            from?: number;
            /** @description At most so many results. */
            limit?: number;
            /** @constant */
            op?: "journal";
        };
        list_answer: {
            at_seq: number;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            memories: components["schemas"]["memory"][];
            next: string | null;
            /** @constant */
            ok: true;
        };
        list_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description `next` of the page before. */
            cursor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Also archived and superseded memories. */
            include_archived?: boolean;
            /** @description Also what no longer holds: ended by valid_until or expires_at, or superseded. */
            include_ended?: boolean;
            /** @description Also what was forgotten. */
            include_tombstoned?: boolean;
            /** @description At most so many results. */
            limit?: number;
            /** @description Only what was put into it. */
            namespace?: string;
            /** @constant */
            op?: "list";
            /** @description Only memories of this actor. */
            owner?: string;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Only these members of each memory; all by default. */
            select?: ("id" | "uri" | "type" | "current_version" | "actor_scope" | "visibility" | "declared_importance" | "tags" | "frames" | "metadata" | "lifecycle" | "colour" | "tombstone" | "created_at" | "last_updated_at" | "embedding" | "forms" | "activation" | "version" | "namespace" | "key")[];
            /** @description Only these types. */
            types?: ("Identity" | "Fact" | "Preference" | "Belief" | "Event" | "Goal" | "Constraint" | "Capability" | "Pattern" | "Decision" | "Commitment" | "Blocker" | "Note" | "Topic" | "Chunk")[];
        };
        load_compact_answer: {
            compacted: Record<string, unknown>[];
            kept: Record<string, unknown>[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            skipped: string[];
            tokens: number;
        };
        load_compact_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            intent_id: string;
            /** @constant */
            op?: "load_compact";
            step_id: string;
        };
        memory: {
            activation: {
                access_count: number;
                citations: number;
                last_used: string;
            };
            actor_scope: string;
            colour: {
                a: number;
                b: number;
                hashtags: string[];
                L: number;
                node_id: string | number;
            } | null;
            created_at: string;
            current_version: number;
            declared_importance: number;
            embedding: {
                dim: number;
                version: number;
            } | null;
            /** @constant */
            ended?: true;
            erased_fields?: Record<string, unknown>[];
            events?: Record<string, unknown>[];
            fields?: Record<string, unknown>[];
            forms: {
                medium: string;
                short: string;
            };
            frames: Record<string, unknown>[];
            id: string;
            key?: string;
            last_updated_at: string;
            lifecycle: Record<string, unknown> | null;
            /** @constant */
            lineage_truncated?: true;
            metadata: Record<string, unknown>;
            namespace?: string;
            /** @enum {unknown} */
            source_class?: "user" | "tool" | "model" | "web";
            /** @constant */
            stale?: true;
            /** @constant */
            superseded?: true;
            tags: string[];
            told?: string;
            tombstone: components["schemas"]["tombstone"];
            trust?: number;
            type: string;
            uri: string;
            version: components["schemas"]["version"];
            /** @enum {unknown} */
            visibility: "private" | "scoped" | "actor_public";
        };
        namespaces_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            namespaces: {
                memories: number;
                namespace: string;
            }[];
            /** @constant */
            ok: true;
        };
        namespaces_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "namespaces";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
        };
        point_answer: {
            a: number;
            b: number;
            counts: {
                [key: string]: number;
            };
            L: number;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            node_id: string | number;
            /** @constant */
            ok: true;
        };
        point_request: {
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description At least 8 assigned hashtags; they fix the point in colour space. */
            hashtags: string[];
            /** @constant */
            op?: "point";
        };
        promote_answer: {
            id: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            uri: string;
            version: number;
        };
        promote_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Id of the document chunk. */
            chunk: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Id of the memory that was made of it. */
            memory: string;
            /** @constant */
            op?: "promote";
        };
        prove_answer: {
            journal_root: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            proofs: Record<string, unknown>[];
            root: string;
            seq: number;
            state_roots: {
                [key: string]: string;
            };
            world_id: string;
        };
        prove_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Edges to prove: {src, type, dst}. */
            edges?: {
                dst: string;
                src: string;
                type: string;
            }[];
            /** @description Fields of topics to prove: {topic, name}. */
            fields?: {
                name: string;
                topic: string;
            }[];
            /** @description Ids of the memories to prove present or absent. */
            ids?: string[];
            /** @constant */
            op?: "prove";
            /** @description Against this root (hex); the current one by default. */
            root?: string;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Entries of the journal to prove. */
            seqs?: number[];
        };
        provenance: {
            attestations?: string[];
            derived_from?: string[];
            sig?: string;
            signed_at?: string | number;
            signed_by?: string;
            source?: string;
            source_class?: string;
            trust?: number;
        };
        put_answer: {
            id: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            /** @enum {unknown} */
            outcome: "created" | "updated" | "revived";
            seq: number;
            uri: string;
            version: number;
        };
        put_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description 0 to 1: how sure this is. */
            confidence?: number;
            /** @description Who wrote it; the actor by default. */
            created_by?: string;
            /** @description The fields of the type. Identity: name did? wallets? roles? public_keys?. Fact: statement subject predicate object? source? as_of?. Preference: topic polarity=prefer|avoid|neutral|do|dont value? strength_val? rationale?. Belief: statement stance=believe|doubt|suspect subject? evidence_for? evidence_against?. Event: kind=intent_completed|intent_failed|payment|dispatch|observation|interaction outcome=success|failure|partial intent_ref? counterparty? cost.asset? cost.amount? duration? artifacts? summary?. Goal: statement status=active|paused|completed|abandoned horizon_end? success_criteria? subgoals? verb_hint? objects? constraints? budget? persistent?. Constraint: statement strength=soft|firm|hard source=user_declared|learned|inferred polarity=prefer|avoid|neutral|do|dont? trigger?. Capability: subject capability parameters? verified? last_observed?. Pattern: statement derived_from? strength? coverage?. Decision: statement rationale? replaces?. Commitment: statement due_date? counterparty?. Blocker: statement blocked_ref?. Note: statement label?. Topic: title summary? topic_kind?. Chunk: content path source_type=github|local? chunk_index? promoted_to?. */
            data: Record<string, unknown>;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Refuse unless this is the memory's version; 0: unless there is none. */
            expect_version?: number;
            /** @description After this it is no longer valid. RFC 3339, or nanoseconds since 1970. */
            expires_at?: string | number;
            /** @description Own short and medium texts instead of the automatic ones. */
            forms?: {
                medium?: string;
                short?: string;
            };
            /** @description What intents it matters to: {verb, kind, ref}. */
            frames?: {
                kind: string;
                ref: string;
                verb: string;
            }[];
            /** @description At least 8 assigned hashtags; they fix the point in colour space. */
            hashtags?: string[];
            /** @description 0 (trivial) to 10 (vital); 5 by default. */
            importance?: number;
            /** @description What the host calls the memory by, in its namespace. */
            key: string;
            /** @description Status, due date, project and the like. */
            lifecycle?: {
                atomic?: boolean;
                audience?: string;
                due_date?: string | number;
                origin?: string;
                project?: string;
                status?: string;
            };
            /** @description Free keys with text, number, boolean or list values. */
            metadata?: {
                [key: string]: string | number | boolean | (string | number | boolean)[];
            };
            /**
             * @description How its strength in colour space rises and falls.
             * @enum {string}
             */
            mode?: "Sparse" | "Adaptive" | "Spacey" | "Eidetic";
            /** @description Namespace of a key. */
            namespace: string;
            /** @constant */
            op?: "put";
            /** @description JSON of the host's own, as text: given back as it is, not searched. */
            payload?: string;
            /** @description Where it comes from. */
            provenance?: components["schemas"]["provenance"];
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /**
             * @description Whose word this is: trust is 1, 0.8, 0.6 or 0.3 by default.
             * @enum {string}
             */
            source_class?: "user" | "tool" | "model" | "web";
            /** @description Up to 16 tags, to find it again. */
            tags?: string[];
            /** @description 0 to 1: how far this is to be trusted. By default that of its source_class, or 1. */
            trust?: number;
            /**
             * @description The kind of memory.
             * @enum {string}
             */
            type: "Identity" | "Fact" | "Preference" | "Belief" | "Event" | "Goal" | "Constraint" | "Capability" | "Pattern" | "Decision" | "Commitment" | "Blocker" | "Note" | "Topic" | "Chunk";
            /** @description From when it is true. RFC 3339, or nanoseconds since 1970. */
            valid_from?: string | number;
            /** @description Until when it is true. RFC 3339, or nanoseconds since 1970. */
            valid_until?: string | number;
            /** @description The embedding, where the caller makes its own. */
            vector?: number[] | string;
            /**
             * @description Who may see it: private to the actor, scoped, or actor_public.
             * @enum {string}
             */
            visibility?: "private" | "scoped" | "actor_public";
        };
        remove_edge_answer: {
            changed: boolean;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
        };
        remove_edge_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Who does it; the actor by default. */
            by?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            dst: string;
            /** @constant */
            op?: "remove_edge";
            /** @description Why. */
            reason?: string;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            src: string;
            type: string;
        };
        replay_receipt_answer: {
            differences: string[];
            equal: boolean;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            receipt: Record<string, unknown>;
            seq: number;
        };
        replay_receipt_request: {
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "replay_receipt";
            /** @description The receipt of an earlier answer. */
            receipt: {
                exact: boolean;
                hash: string;
                op: string;
                ranking: number;
                request: Record<string, unknown>;
                results: {
                    id: string;
                    score?: number;
                    tier?: string;
                }[];
                root: string;
                seq: number;
                version: number;
                world_id: string;
            };
        };
        resolve_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            memory: components["schemas"]["memory"];
            /** @constant */
            ok: true;
        };
        resolve_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            events?: boolean;
            history?: boolean;
            history_limit?: number;
            /** @constant */
            op?: "resolve";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Exactly this version. */
            uri: string;
        };
        restore_answer: {
            changed: boolean;
            ended?: string;
            id: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            /** @constant */
            still_archived?: true;
            superseded_by?: string;
            uri: string;
        };
        restore_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Who does it; the actor by default. */
            by?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Refuse (version_conflict) if another version is current. */
            expect_version?: number;
            /** @description Id or uri of the memory that comes back. */
            id?: string;
            /** @constant */
            op?: "restore";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description The same: any of its versions names it. */
            uri?: string;
        };
        retrieve_answer: {
            at_seq: number;
            candidates: {
                /** @constant */
                ended?: true;
                /** @constant */
                lineage_truncated?: true;
                salience: number;
                /** @enum {unknown} */
                source_class?: "user" | "tool" | "model" | "web";
                /** @constant */
                stale?: true;
                summary: string;
                /** @constant */
                superseded?: true;
                title: string;
                topic_id: string;
                trust?: number;
            }[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            receipt?: Record<string, unknown>;
            seq?: number;
            summary_text: string;
        };
        retrieve_many_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            results: components["schemas"]["item"][];
        };
        retrieve_many_request: {
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            items: Record<string, unknown>[];
            /** @constant */
            op?: "retrieve_many";
        };
        retrieve_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Only what was true at this time. RFC 3339, or nanoseconds since 1970. */
            as_of?: string | number;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Also the topics that fields refer to. */
            expand_refs?: boolean;
            /** @description true: also the earlier values of every field. */
            explain?: boolean;
            /** @description Only these fields. */
            field_names?: string[];
            /** @description At most so many earlier values of a field. */
            history_limit?: number;
            /** @description Also what no longer holds: ended by valid_until or expires_at, or superseded. */
            include_ended?: boolean;
            /** @description 0 to 1: leaves out what is trusted less, by itself or by what it rests on. */
            min_trust?: number;
            /** @description RFC 3339, or nanoseconds since 1970. */
            now?: string | number;
            /** @constant */
            op?: "retrieve";
            /** @description The question, in plain words. */
            q?: string;
            /** @description The same as q. */
            query?: string;
            /** @description true: also a receipt of the answer, which replay_receipt asks again. A retrieve then reinforces nothing. */
            receipt?: boolean;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Which parts to run; all by default. */
            stages?: ("semantic" | "structural" | "temporal")[];
            /** @description How many topics; 5 by default. */
            top_k?: number;
            /** @description These topics instead of the nearest ones. */
            topic_ids?: string[];
            /** @description false: do not reinforce what the answer shows. */
            touch?: boolean;
            /** @description The embedding, where the caller makes its own. */
            vector?: number[] | string;
        };
        revise_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            merged: Record<string, unknown>[];
            /** @constant */
            ok: true;
            seq: number;
        };
        revise_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "revise";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
        };
        root_answer: {
            journal_root: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            root: string;
            seq: number;
            state_roots: {
                [key: string]: string;
            };
            world_id: string;
        };
        root_request: {
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "root";
        };
        scope: {
            actor: string;
            budget_tokens: number;
            exclude?: {
                frame?: {
                    refs?: string[];
                    verb: string;
                };
                ids?: string[];
                tags?: string[];
                types?: string[];
            };
            expires_at: string | number;
            granted_by: string;
            granted_to: string;
            include: {
                frame?: {
                    refs?: string[];
                    verb: string;
                };
                ids?: string[];
                tags?: string[];
                types?: string[];
            };
            proofs?: {
                key?: string;
                namespace?: string;
                path: string;
                present?: boolean;
                siblings: string[];
                value_hash: string;
            }[];
            schema?: number;
            signature?: string;
            snapshot_root: string;
            writable?: boolean;
        };
        search_answer: {
            applied_audience: string | null;
            at_seq: number;
            count: number;
            coverage: Record<string, unknown>;
            embedder_problem?: unknown;
            /** @enum {unknown} */
            form?: "short" | "medium" | "full" | null;
            include_siblings: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            metadata?: Record<string, unknown>;
            /** @constant */
            ok: true;
            query: string;
            receipt?: Record<string, unknown>;
            results: components["schemas"]["hit"][];
            similarity_floor: number;
            sort: string;
            source_type: string;
            tokens?: number;
        };
        search_many_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            results: components["schemas"]["item"][];
        };
        search_many_request: {
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            items: Record<string, unknown>[];
            /** @constant */
            op?: "search_many";
        };
        search_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Only what was true at this time. RFC 3339, or nanoseconds since 1970. */
            as_of?: string | number;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Only memories marked atomic. */
            atomic_only?: boolean;
            /**
             * @description Only memories for this audience.
             * @enum {string}
             */
            audience?: "personal" | "work" | "all";
            /** @description At most so many tokens of text in the answer. */
            budget_tokens?: number;
            /**
             * @description Only documents from here.
             * @enum {string}
             */
            content_source_type?: "github" | "local";
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Due at this time or later. RFC 3339, or nanoseconds since 1970. */
            due_after?: string | number;
            /** @description Due at this time or earlier. RFC 3339, or nanoseconds since 1970. */
            due_before?: string | number;
            /** @description Also say how the answer came about. */
            explain?: boolean;
            /**
             * @description How long each text is.
             * @enum {string}
             */
            form?: "short" | "medium" | "full";
            /** @description Also archived and superseded memories. */
            include_archived?: boolean;
            /** @description Also what no longer holds: ended by valid_until or expires_at, or superseded. */
            include_ended?: boolean;
            /** @description With memory_ids: what a decision replaced, and what replaced it. */
            include_lineage?: boolean;
            /** @description Also documents that hardly match. */
            include_low_relevance?: boolean;
            /** @description Also how the search was weighed. */
            include_metadata?: boolean;
            /** @description Also topics that tell of an import alone (tag import:overview). */
            include_overviews?: boolean;
            /**
             * @description Only echoed.
             * @enum {string}
             */
            include_siblings?: "auto" | "always" | "never";
            /** @description At most so many results; 10 by default. */
            limit?: number;
            /** @description Look these ids up directly instead of searching. */
            memory_ids?: string[];
            /**
             * @description Only memories of this type.
             * @enum {string}
             */
            memory_type?: "identity" | "fact" | "preference" | "belief" | "event" | "goal" | "constraint" | "capability" | "pattern" | "decision" | "commitment" | "blocker" | "note" | "topic" | "context";
            /** @description 0 to 1: leaves out what is trusted less, by itself or by what it rests on. */
            min_trust?: number;
            /** @description The time to weigh by, and by which things end; now by default. RFC 3339, or nanoseconds since 1970. */
            now?: string | number;
            /** @constant */
            op?: "search";
            /** @description Only memories of this project. */
            project?: string;
            /** @description What you look for, in plain words. */
            query?: string;
            /** @description true: also a receipt of the answer, which replay_receipt asks again. A retrieve then reinforces nothing. */
            receipt?: boolean;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Drop what scores less (0 to 1) and is far from the best; 0.1 by default, 0 drops nothing. */
            similarity_floor?: number;
            /**
             * @description auto (default): newer ones first where the query asks for what is newest.
             * @enum {string}
             */
            sort?: "auto" | "relevance" | "recency" | "hybrid" | "updated";
            /**
             * @description How the memory came about.
             * @enum {string}
             */
            source?: "manual" | "hook" | "mcp" | "auto";
            /** @description Only documents whose path contains this. */
            source_filter?: string;
            /**
             * @description all (default), memory (what was remembered) or content (ingested documents).
             * @enum {string}
             */
            source_type?: "all" | "memory" | "content";
            /** @description false: nothing that rests on what has changed since; true: nothing else. */
            stale?: boolean;
            /**
             * @description Only memories of this status.
             * @enum {string}
             */
            status?: "open" | "waiting" | "scheduled" | "resolved" | "expired" | "archived" | "overdue";
            /** @description Only memories with this tag. */
            tag?: string;
            /** @description The embedding, where the caller makes its own. */
            vector?: number[] | string;
            /** @description Other weights of the parts of a score, as "dates=0,neighbours=0.2". */
            weights?: string;
        };
        selected: {
            because: string;
            id: string;
            /** @constant */
            lineage_truncated?: true;
            /** @enum {unknown} */
            source_class?: "user" | "tool" | "model" | "web";
            /** @constant */
            stale?: true;
            text: string;
            trust?: number;
            type: string;
            uri: string;
            /** @enum {unknown} */
            why: "identifier" | "entity" | "meaning";
        };
        set_weights_answer: {
            changed: boolean;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            weights: string;
        };
        set_weights_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "set_weights";
            /** @description true: back to those that the world was made with, first. */
            reset?: boolean;
            /** @description Some weights of the parts of a score, as "dates=0,neighbours=0.2", from now on. */
            weights?: string;
        };
        snapshot_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            manifest: Record<string, unknown>;
            /** @constant */
            ok: true;
            seq: number;
        };
        snapshot_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "snapshot";
            /** @description Why. */
            reason?: string;
        };
        stale_of_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            memories: components["schemas"]["memory"][];
            /** @constant */
            ok: true;
        };
        stale_of_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Id of the memory that has fallen. */
            id?: string;
            /** @description At most so many results. */
            limit?: number;
            /** @description Skip so many results. */
            offset?: number;
            /** @constant */
            op?: "stale_of";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Uri of a memory: mneme://Type/ID#VERSION. */
            uri?: string;
        };
        stats_answer: {
            checkpoint_seq: number;
            disk_full?: string;
            edges: number;
            embedder: string;
            embedder_problem: string;
            embeddings_pending: number;
            embeddings_refused: number;
            fields: number;
            journal_bytes: number;
            journal_segments: number;
            language: string;
            log?: {
                away_ms?: number;
                epoch: number;
                lag_ms: number;
                lag_seqs: number | null;
                leader: string;
                leader_address?: string;
                problem?: string;
                /** @enum {unknown} */
                role: "leader" | "follower";
                seq: number;
            };
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            memories: number;
            memories_by_type: Record<string, unknown>;
            /** @constant */
            ok: true;
            rows: number;
            seq: number;
            space: Record<string, unknown> | null;
            stopped?: string;
            vector_builds_failed: number;
            vectors: number;
            world: string;
            world_id: string;
        };
        stats_request: {
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "stats";
        };
        suggest_hashtags_answer: {
            hashtags: string[];
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
        };
        suggest_hashtags_request: {
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "suggest_hashtags";
            text: string;
        };
        supersede_matching_answer: {
            dry_run: boolean;
            embedder_problem?: unknown;
            id?: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            note?: string;
            /** @constant */
            ok: true;
            seq: number;
            superseded: components["schemas"]["selected"][];
            uri?: string;
            version?: number;
        };
        supersede_matching_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Who does it; the actor by default. */
            by?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description true: only show what would be replaced, and why. */
            dry_run?: boolean;
            /** @description Refuse if more than this many match; 1,000 by default. Nothing is cut off. */
            limit?: number;
            /** @description The time to weigh by; now by default. RFC 3339, or nanoseconds since 1970. */
            now?: string | number;
            /** @constant */
            op?: "supersede_matching";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Only memories with all of these tags. */
            tags?: string[];
            /** @description Only these types; all but Chunk by default. */
            types?: ("Identity" | "Fact" | "Preference" | "Belief" | "Event" | "Goal" | "Constraint" | "Capability" | "Pattern" | "Decision" | "Commitment" | "Blocker" | "Note" | "Topic" | "Chunk")[];
            /** @description The words' vector, where the world has no embedder. */
            vector?: number[] | string;
            /** @description What it replaces, in plain words; without them what says the old of the same. */
            words?: string;
            /** @description The new memory: {type, data, …} as write takes it. */
            write: Record<string, unknown>;
        };
        sweep_answer: {
            changed: boolean;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            more: boolean;
            /** @constant */
            ok: true;
            seq: number;
            swept: string[];
        };
        sweep_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Who does it; the actor by default. */
            by?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description At most so many, those first that expired first. */
            limit?: number;
            /** @constant */
            op?: "sweep";
            /** @description Why. */
            reason?: string;
        };
        tags_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            tags: Record<string, unknown>[];
        };
        tags_request: {
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "tags";
        };
        tick_answer: {
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            reads: components["schemas"]["item"][];
            seq: number;
            writes: components["schemas"]["item"][];
        };
        tick_request: {
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "tick";
            reads?: Record<string, unknown>[];
            writes?: Record<string, unknown>[];
        };
        tombstone: {
            at: string;
            by: string;
            cause: string;
            reason: string;
            superseded_by?: string;
        } | null;
        tombstone_answer: {
            changed: boolean;
            id: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
        };
        tombstone_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Who does it; the actor by default. */
            by?: string;
            /**
             * @description What kind of end it is.
             * @enum {string}
             */
            cause?: "superseded" | "wrong" | "deleted" | "expired";
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Refuse (version_conflict) if another version is current. */
            expect_version?: number;
            /** @description The memory, as it is now; instead of uri. */
            id?: string;
            /** @constant */
            op?: "tombstone";
            /** @description Why. */
            reason?: string;
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Id of the memory that takes its place. */
            superseded_by?: string;
            /** @description Uri of a memory: mneme://Type/ID#VERSION. */
            uri?: string;
        };
        trim_answer: {
            before: number;
            carried: number;
            changed: boolean;
            dropped: number;
            dropped_bytes: number;
            dry_run: boolean;
            journal_bytes: number;
            journal_bytes_before: number;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            saved_bytes: number;
            seq?: number;
            versions: number;
        };
        trim_request: {
            /** @description The first entry whose reads stay what they were. All so far goes otherwise. */
            before?: number;
            /** @description In place of that: the first entry that was made then or later. RFC 3339, or nanoseconds since 1970. */
            before_time?: string | number;
            /** @description Who wants it. It stays in the journal. */
            by?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description true: only say what would go. */
            dry_run?: boolean;
            /** @constant */
            op?: "trim";
            /** @description Why. It stays in the journal. */
            reason?: string;
            /** @description true: also what memories said before that and have said otherwise since. */
            versions?: boolean;
        };
        unarchive_answer: {
            changed: boolean;
            id: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
        };
        unarchive_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Id of a memory (26 characters). */
            id: string;
            /** @constant */
            op?: "unarchive";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
        };
        update_answer: {
            id: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            uri: string;
            version: number;
        };
        update_head_answer: {
            changed: boolean;
            id: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
        };
        update_head_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description Stand by what it says, though what it rests on has changed: it is stale no more. */
            affirm?: boolean;
            /** @description Who does it; the actor by default. */
            by?: string;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Refuse (version_conflict) if another version is current. */
            expect_version?: number;
            /** @description What intents it matters to: {verb, kind, ref}. */
            frames?: {
                kind: string;
                ref: string;
                verb: string;
            }[];
            /** @description The memory, as it is now; instead of uri. */
            id?: string;
            /** @description 0 (trivial) to 10 (vital); 5 by default. */
            importance?: number;
            /** @description Status, due date, project and the like. */
            lifecycle?: {
                atomic?: boolean;
                audience?: string;
                due_date?: string | number;
                origin?: string;
                project?: string;
                status?: string;
            };
            /** @description Free keys with text, number, boolean or list values. */
            metadata?: {
                [key: string]: string | number | boolean | (string | number | boolean)[];
            };
            /** @constant */
            op?: "update_head";
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description Up to 16 tags, to find it again. */
            tags?: string[];
            /** @description Uri of a memory: mneme://Type/ID#VERSION. */
            uri?: string;
            /**
             * @description Who may see it: private to the actor, scoped, or actor_public.
             * @enum {string}
             */
            visibility?: "private" | "scoped" | "actor_public";
        };
        update_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description 0 to 1: how sure this is. */
            confidence?: number;
            /** @description Who wrote it; the actor by default. */
            created_by?: string;
            /** @description The new data, whole: what is left out is gone. */
            data?: Record<string, unknown>;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description Refuse (version_conflict) if another version is current. */
            expect_version?: number;
            /** @description After this it is no longer valid. RFC 3339, or nanoseconds since 1970. */
            expires_at?: string | number;
            /** @description Own short and medium texts instead of the automatic ones. */
            forms?: {
                medium?: string;
                short?: string;
            };
            /** @description The memory, as it is now; instead of uri. */
            id?: string;
            /** @constant */
            op?: "update";
            /** @description JSON of the host's own, as text: given back as it is, not searched. */
            payload?: string;
            /** @description Where it comes from. */
            provenance?: components["schemas"]["provenance"];
            /** @description {old, new, field?}: instead of data, one span of the text; all else stays. */
            replace?: {
                field?: string;
                new: string;
                old: string;
            };
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /**
             * @description Whose word this is: trust is 1, 0.8, 0.6 or 0.3 by default.
             * @enum {string}
             */
            source_class?: "user" | "tool" | "model" | "web";
            /** @description 0 to 1: how far this is to be trusted. By default that of its source_class, or 1. */
            trust?: number;
            /**
             * @description The memory's type, if it is to be checked.
             * @enum {string}
             */
            type?: "Identity" | "Fact" | "Preference" | "Belief" | "Event" | "Goal" | "Constraint" | "Capability" | "Pattern" | "Decision" | "Commitment" | "Blocker" | "Note" | "Topic" | "Chunk";
            /** @description Uri of a memory: mneme://Type/ID#VERSION. */
            uri?: string;
            /** @description From when it is true. RFC 3339, or nanoseconds since 1970. */
            valid_from?: string | number;
            /** @description Until when it is true. RFC 3339, or nanoseconds since 1970. */
            valid_until?: string | number;
            /** @description The embedding, where the caller makes its own. */
            vector?: number[] | string;
        };
        verify_answer: {
            entries: number;
            frames: number;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            root: string;
            segments: number;
            seq: number;
            torn_bytes?: number;
            unfinished?: string;
        };
        verify_request: {
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "verify";
        };
        version: {
            changes?: {
                after?: string;
                before?: string;
                field: string;
            }[];
            confidence: number;
            created_at: string;
            created_by: string;
            data: Record<string, unknown>;
            expires_at: string | null;
            forms_override: Record<string, unknown>;
            hash: string;
            payload?: string;
            provenance: Record<string, unknown>;
            valid_from: string;
            valid_until: string | null;
            version: number;
        };
        weights_answer: {
            at_seq: number;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            reset?: boolean;
            set_at?: string;
            set_by?: string;
            since?: number;
            weights: string;
        };
        weights_request: {
            /** @description Answer as of the last entry at or before this time; instead of at_seq. RFC 3339, or nanoseconds since 1970. */
            at?: string | number;
            /** @description An entry that the answer must have seen: a copy of a log waits for it, until the deadline (behind then). */
            at_least?: number;
            /** @description Answer as of this entry of the journal: the world as it was then. */
            at_seq?: number;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @constant */
            op?: "weights";
        };
        write_answer: {
            id: string;
            log_position?: {
                epoch: number;
                root: string;
                seq: number;
            };
            /** @constant */
            ok: true;
            seq: number;
            similar?: {
                resembles: string[];
                same_text: string[];
            };
            uri: string;
            version: number;
        };
        write_request: {
            /** @description The agent that asks or acts; it sees its own memories and public ones. */
            actor?: string;
            /** @description 0 to 1: how sure this is. */
            confidence?: number;
            /** @description Who wrote it; the actor by default. */
            created_by?: string;
            /** @description The fields of the type. Identity: name did? wallets? roles? public_keys?. Fact: statement subject predicate object? source? as_of?. Preference: topic polarity=prefer|avoid|neutral|do|dont value? strength_val? rationale?. Belief: statement stance=believe|doubt|suspect subject? evidence_for? evidence_against?. Event: kind=intent_completed|intent_failed|payment|dispatch|observation|interaction outcome=success|failure|partial intent_ref? counterparty? cost.asset? cost.amount? duration? artifacts? summary?. Goal: statement status=active|paused|completed|abandoned horizon_end? success_criteria? subgoals? verb_hint? objects? constraints? budget? persistent?. Constraint: statement strength=soft|firm|hard source=user_declared|learned|inferred polarity=prefer|avoid|neutral|do|dont? trigger?. Capability: subject capability parameters? verified? last_observed?. Pattern: statement derived_from? strength? coverage?. Decision: statement rationale? replaces?. Commitment: statement due_date? counterparty?. Blocker: statement blocked_ref?. Note: statement label?. Topic: title summary? topic_kind?. Chunk: content path source_type=github|local? chunk_index? promoted_to?. */
            data: Record<string, unknown>;
            /** @description Give up after so many milliseconds. */
            deadline_ms?: number;
            /** @description After this it is no longer valid. RFC 3339, or nanoseconds since 1970. */
            expires_at?: string | number;
            /** @description Own short and medium texts instead of the automatic ones. */
            forms?: {
                medium?: string;
                short?: string;
            };
            /** @description What intents it matters to: {verb, kind, ref}. */
            frames?: {
                kind: string;
                ref: string;
                verb: string;
            }[];
            /** @description At least 8 assigned hashtags; they fix the point in colour space. */
            hashtags?: string[];
            /** @description Id of the new memory, where the caller makes its own. */
            id?: string;
            /** @description 0 (trivial) to 10 (vital); 5 by default. */
            importance?: number;
            /** @description Status, due date, project and the like. */
            lifecycle?: {
                atomic?: boolean;
                audience?: string;
                due_date?: string | number;
                origin?: string;
                project?: string;
                status?: string;
            };
            /** @description Free keys with text, number, boolean or list values. */
            metadata?: {
                [key: string]: string | number | boolean | (string | number | boolean)[];
            };
            /**
             * @description How its strength in colour space rises and falls.
             * @enum {string}
             */
            mode?: "Sparse" | "Adaptive" | "Spacey" | "Eidetic";
            /** @constant */
            op?: "write";
            /** @description JSON of the host's own, as text: given back as it is, not searched. */
            payload?: string;
            /** @description Where it comes from. */
            provenance?: components["schemas"]["provenance"];
            /** @description A signed scope that narrows what the asker sees. */
            scope?: components["schemas"]["scope"];
            /** @description true: the answer names live memories with the same text, and those much like it. */
            similar?: boolean;
            /**
             * @description Whose word this is: trust is 1, 0.8, 0.6 or 0.3 by default.
             * @enum {string}
             */
            source_class?: "user" | "tool" | "model" | "web";
            /** @description Uris of memories that this one takes the place of: they are tombstoned with it. */
            supersedes?: string[];
            /** @description Up to 16 tags, to find it again. */
            tags?: string[];
            /** @description 0 to 1: how far this is to be trusted. By default that of its source_class, or 1. */
            trust?: number;
            /**
             * @description The kind of memory.
             * @enum {string}
             */
            type: "Identity" | "Fact" | "Preference" | "Belief" | "Event" | "Goal" | "Constraint" | "Capability" | "Pattern" | "Decision" | "Commitment" | "Blocker" | "Note" | "Topic" | "Chunk";
            /** @description From when it is true. RFC 3339, or nanoseconds since 1970. */
            valid_from?: string | number;
            /** @description Until when it is true. RFC 3339, or nanoseconds since 1970. */
            valid_until?: string | number;
            /** @description The embedding, where the caller makes its own. */
            vector?: number[] | string;
            /**
             * @description Who may see it: private to the actor, scoped, or actor_public.
             * @enum {string}
             */
            visibility?: "private" | "scoped" | "actor_public";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
