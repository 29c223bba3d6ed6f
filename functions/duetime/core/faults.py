"""The tree of errors Duetime raises, each with a stable code, an HTTP status and the field at fault.

Every error a caller can meet is a `DuetimeError`; `CODES` maps each code to its HTTP status and its English and
Chinese sentence, and a test holds the tree, the table and docs/errors.md to each other. A lost race is never an
error: transitions return None for it.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Self

MAX_SHOWN: Final = 80
"""Characters of an offending value that an error repeats; the rest is cut with a mark."""


class Code(NamedTuple):
    """What a stable code means: its HTTP status and one sentence in English and in Chinese."""

    status: int
    english: str
    chinese: str


CODES: Final[dict[str, Code]] = {
    "NOT_FOUND_JOB": Code(404, "No job of this name exists in the project.", "项目中没有这个名称的作业。"),
    "NOT_FOUND_TRIGGER": Code(404, "The job has no trigger of this name.", "作业没有这个名称的触发器。"),
    "NOT_FOUND_RUN": Code(404, "No run with this id exists in the project.", "项目中没有这个编号的运行。"),
    "NOT_FOUND_PROJECT": Code(404, "No such project.", "没有这个项目。"),
    "NOT_FOUND_ROUTE": Code(404, "No such route.", "没有这个路径。"),
    "NOT_FOUND_HANDLER": Code(
        422, "No handler is registered under this name.", "没有以此名称登记的处理函数。"
    ),
    "NOT_FOUND_CALENDAR": Code(
        422, "No calendar of this name exists in the project.", "项目中没有这个名称的日历。"
    ),
    "VALIDATION_DEFINITION": Code(400, "The definition is not valid.", "定义不合法。"),
    "VALIDATION_SETTINGS": Code(400, "Duetime cannot start with this setting.", "无法以此设置启动。"),
    "VALIDATION_SCHEDULE": Code(400, "The schedule or calendar is not valid.", "计划或日历不合法。"),
    "VALIDATION_DATA": Code(400, "The data is not valid.", "数据不合法。"),
    "VALIDATION_TARGET": Code(400, "The target is not valid.", "目标不合法。"),
    "VALIDATION_PAGING": Code(400, "The paging parameters are not valid.", "分页参数不合法。"),
    "METHOD_NOT_ALLOWED": Code(405, "The route exists, the method does not.", "路径存在，但不支持此方法。"),
    "CONFLICT_RUNNING": Code(
        409, "A run of this job is in progress and overlap is not allowed.", "作业正在运行且不允许重叠。"
    ),
    "CONFLICT_EXISTS": Code(409, "Something of this name exists already.", "同名对象已存在。"),
    "CONFLICT_IN_USE": Code(409, "It is in use and cannot be deleted.", "对象正在使用中，不能删除。"),
    "CONFLICT_VERSION": Code(
        409, "The definition was changed by someone else meanwhile.", "定义已被他人修改。"
    ),
    "CONFLICT_CANCELED": Code(409, "The run was canceled.", "运行被取消。"),
    "CONFLICT_LEASE": Code(409, "The lease is held by another.", "租约被其他持有者占用。"),
    "UNAVAILABLE_STORE": Code(503, "The store cannot be reached; try again.", "存储不可达，请重试。"),
    "UNAVAILABLE_TARGET": Code(
        503, "The target cannot be reached or has a failure; try again.", "目标不可达或出现故障，请重试。"
    ),
    "UNAVAILABLE_STOPPING": Code(
        503, "The scheduler is stopping and starts no new run.", "调度器正在停止，不再开始新的运行。"
    ),
    "TIMEOUT_RUN": Code(504, "The run took longer than its timeout.", "运行超过时限。"),
    "UNEXPECTED_HANDLER": Code(500, "The handler raised an exception.", "处理函数抛出异常。"),
    "UNEXPECTED": Code(
        500, "Something unexpected happened; the log has the request id.", "发生意外错误，日志中有请求编号。"
    ),
    "UNAUTHENTICATED": Code(401, "The caller is not authenticated.", "调用者未通过身份验证。"),
    "FORBIDDEN": Code(403, "The caller or the scheduler may not do this.", "没有执行此操作的权限。"),
    "TOO_LARGE": Code(413, "The request is larger than the limit.", "请求超过大小限制。"),
    "RATE_LIMITED": Code(429, "Too many requests; slow down.", "请求过多，请放慢速度。"),
}


def shown(value: object) -> str:
    """Return `value` as an error may repeat it: printable, on one line, at most `MAX_SHOWN` characters.

    >>> shown("a" * 100)[-1]
    '…'
    """
    text = value if isinstance(value, str) else repr(value)
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: MAX_SHOWN + 1])
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


class DuetimeError(Exception):
    """Any refusal or failure Duetime reports: a stable `code`, the `field` at fault and a `hint` how to mend it.

    `str(error)` is one line that names the field, the value and the way out. `status` is the HTTP status of the code.

    >>> str(DefinitionError("timeout", 0, "is not positive", "Use a duration from 1s to 30d, such as 5m."))
    "timeout: '0' is not positive. Use a duration from 1s to 30d, such as 5m."
    """

    code = "UNEXPECTED"

    def __init__(
        self, field: str, value: object, problem: str, hint: str, *, code: str | None = None
    ) -> None:
        self.field, self.value, self.problem, self.hint = field, shown(value), problem, hint
        self.code = code or type(self).code
        super().__init__(f"{self.detail} {hint}")

    @property
    def detail(self) -> str:
        """What is wrong in one sentence, without the way out; the value of what is missing is not told.

        >>> DefinitionError("name", None, "is missing", "Give one.").detail
        'name: is missing.'
        """
        value = "" if self.problem == "is missing" else f"'{self.value}' "
        return f"{self.field}: {value}{self.problem}."

    @property
    def status(self) -> int:
        """The HTTP status that goes with `code`."""
        return CODES[self.code].status

    def within(self, path: str) -> Self:
        """Return the same error with its field below `path`.

        >>> DefinitionError("timeout", 0, "is not positive", "Use 5m.").within("job nightly").field
        'job nightly.timeout'
        """
        return type(self)(f"{path}.{self.field}", self.value, self.problem, self.hint, code=self.code)


class DefinitionError(DuetimeError, ValueError):
    """A job, trigger or policy that cannot be taken as it was written."""

    code = "VALIDATION_DEFINITION"


class SettingsError(DefinitionError):
    """A setting, option or environment with which Duetime cannot start."""

    code = "VALIDATION_SETTINGS"


class DataError(DuetimeError, ValueError):
    """Data that is no JSON object, holds no JSON number, or is too large."""

    code = "VALIDATION_DATA"


class TargetError(DuetimeError, ValueError):
    """A target that is malformed or may not be called."""

    code = "VALIDATION_TARGET"


class PagingError(DuetimeError, ValueError):
    """A limit out of range or a cursor that is not ours."""

    code = "VALIDATION_PAGING"


class NotFound(DuetimeError):
    """Something named by the caller does not exist in this project; pass the exact code."""

    code = "NOT_FOUND_JOB"

    @property
    def status(self) -> int:
        """404, also where a body that only refers to such a thing gets 422; a handler is only ever referred to."""
        return CODES[self.code].status if self.code == "NOT_FOUND_HANDLER" else 404


class Conflict(DuetimeError):
    """The state of things forbids the change now; pass the exact code."""

    code = "CONFLICT_EXISTS"


class Unavailable(DuetimeError):
    """A service Duetime depends on, or Duetime itself, cannot answer now; the same call may succeed later."""

    code = "UNAVAILABLE_STORE"


class Unreadable(Unavailable):
    """A stored row that this release cannot read; it is left as it is. `newer`: a newer release wrote it."""

    newer = False
