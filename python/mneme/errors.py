"""What a refused request raises: an exception for each error code, all of them MnemeError."""

from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Type


class Fault(NamedTuple):
    """One thing that is wrong with a request: its code, what is wrong, and where."""

    code: str
    message: str
    at: Optional[str]


class MnemeError(Exception):
    """A request that was refused, and changed nothing.

    code     the name of the error, such as "not_found"
    message  what is wrong, in words
    at       where in the request, such as "where.and[1].gt"; None where it is no part of it
    details  whatever else the answer says of it
    faults   what is wrong with the request, eight things at most, the first of them as above; `message` tells of all
             of them
    """

    def __init__(self, code: str, message: str, at: Optional[str] = None,
                 details: Optional[Mapping[str, Any]] = None, faults: Iterable[Fault] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at
        self.details: Dict[str, Any] = dict(details or {})
        self.faults: List[Fault] = list(faults) or [Fault(code, message, at)]

    def __reduce__(self) -> Tuple[Any, ...]:
        # So that it comes through between processes.
        return type(self), (self.code, self.message, self.at, self.details, self.faults)

    def __str__(self) -> str:
        return f"{self.message} ({self.code}" + (f" at {self.at})" if self.at else ")")


class NotFound(MnemeError):
    """There is no such thing, or none that the asker may see."""


class AlreadyExists(MnemeError):
    """An id of the caller's own is taken, also by something that was tombstoned or erased."""


class Tombstoned(MnemeError):
    """The memory was taken out of all answers; `restore` brings it back."""


class Erased(MnemeError):
    """What the memory said is gone for good."""


class Trimmed(MnemeError):
    """What that version of the memory said was dropped by a trim; the memory is there."""


class VersionConflict(MnemeError):
    """Another version than expect_version is the current one."""


class SeqUnavailable(MnemeError):
    """That moment can no longer, or not yet, be read."""


class ScopeViolation(MnemeError):
    """The scope does not open what was asked for."""


class DeadlineExceeded(MnemeError):
    """It took longer than deadline_ms."""


class Busy(MnemeError):
    """Too much is under way, or somebody else has the world open: try again."""


class Behind(MnemeError):
    """This copy of a log does not have that entry yet: try again, or ask the leader."""


class DiskFull(MnemeError):
    """There was no room; writes go on when there is."""


class OutcomeUnknown(MnemeError):
    """The write may have happened or not; opening the world again tells."""


class ReadOnly(MnemeError):
    """The world, or the key, is for reading alone."""


class Forbidden(MnemeError):
    """The key, or who it stands for, may not do that."""


class Corrupt(MnemeError):
    """Files of the world are damaged."""


class Shutdown(MnemeError):
    """The world was closed."""


class Unreachable(MnemeError):
    """The server did not answer. Whether a write happened is not known."""


class InvalidRequest(MnemeError):
    """The request itself is not right, whatever the world holds; `at` says where."""


class NotFinite(InvalidRequest, ValueError):
    """A number in the request is none that JSON has, nan or an infinity, or one that nobody can read. It was not
    sent."""


_BY_CODE: Dict[str, Type[MnemeError]] = {
    "not_found": NotFound,
    "already_exists": AlreadyExists,
    "tombstoned": Tombstoned,
    "erased": Erased,
    "trimmed": Trimmed,
    "version_conflict": VersionConflict,
    "seq_unavailable": SeqUnavailable,
    "scope_violation": ScopeViolation,
    "deadline_exceeded": DeadlineExceeded,
    "busy": Busy,
    "behind": Behind,
    "disk_full": DiskFull,
    "outcome_unknown": OutcomeUnknown,
    "read_only": ReadOnly,
    "unauthorized": Forbidden,
    "forbidden": Forbidden,
    "actor_mismatch": Forbidden,
    "corrupt": Corrupt,
    "shutdown": Shutdown,
    "unreachable": Unreachable,
}
_BY_CODE.update({code: InvalidRequest for code in (
    "bad_json", "bad_utf8", "line_too_long", "unknown_op", "unknown_key", "missing_key",
    "wrong_type", "bad_value", "out_of_range", "bad_uri", "bad_id", "bad_time", "bad_vector",
    "dim_mismatch", "bad_interval", "missing_field", "limit_exceeded", "no_op", "unbounded",
    "too_broad", "bad_field", "type_mismatch", "bad_regex", "empty_query", "unsupported",
    "self_edge", "zero_id", "invalid_edge_type", "form_too_long", "type_data_mismatch",
    "bad_transition", "max_hops_exceeded", "bad_hops", "field_not_comparable", "field_unknown",
    "bad_stage", "bad_hashtags", "tag_assigned", "query_profile_error")})


def error_of(answer: Mapping[str, Any]) -> MnemeError:
    """The exception that an answer {"ok": false, "error": …} stands for."""
    said = dict(answer.get("error", {}))
    code = str(said.pop("code", "unknown"))
    faults = [Fault(fault["code"], fault["message"], fault["at"] or None) for fault in said.pop("faults", ())]
    return _BY_CODE.get(code, MnemeError)(code, str(said.pop("message", "refused")),
                                          said.pop("at", None), said, faults)


def error_told(refused: MnemeError) -> Dict[str, Any]:
    """The `error` of an answer that stands for the exception."""
    told: Dict[str, Any] = {**refused.details, "code": refused.code, "message": refused.message}
    if refused.at:
        told["at"] = refused.at
    if len(refused.faults) > 1:
        told["faults"] = [{**fault._asdict(), "at": fault.at or ""} for fault in refused.faults]
    return told


def told_at_once(faults: List[Dict[str, Any]]) -> str:
    """What the message of an error says of these faults."""
    return str(faults[0]["message"]) + "".join(f"; also at {fault['at']}: {fault['message']}" for fault in faults[1:])


def placed(error: Mapping[str, Any], place: Callable[[str], str]) -> Dict[str, Any]:
    """The `error` of an answer with each place that it names as `place` says it; one that comes to nothing is
    left out."""
    told: Dict[str, Any] = {**error, "at": place(str(error.get("at", "")))}
    if not told["at"]:
        del told["at"]
    faults = [dict(fault) for fault in error.get("faults", ())]
    if faults:
        before = told_at_once(faults)
        for fault in faults:
            fault["at"] = place(fault["at"])
        told["faults"] = faults
        told["message"] = str(error["message"]).replace(before, told_at_once(faults))
    return told
