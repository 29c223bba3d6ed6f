"""Descriptions of schedules in Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from duetime.core.describeparts import (
    Piece,
    clock_times,
    every_day,
    pieces,
    regular,
    span,
    stretch,
    values,
    weekday_pieces,
)

if TYPE_CHECKING:
    from duetime.core.cronfields import Field
    from duetime.core.cronparse import Expression

_WEEKDAYS: Final = ("周日", "周一", "周二", "周三", "周四", "周五", "周六")
_UNITS: Final = {"day": "天", "hour": "小时", "minute": "分钟", "second": "秒"}
_POINTS: Final = {"second": "秒", "minute": "分", "hour": "时"}
_STEPS: Final = {"秒": "秒", "分": "分钟", "时": "小时", "日": "天", "年": "年", "月": "个月"}


class Chinese:
    """See `duetime.core.describe.Language`."""

    def cron(self, expression: Expression) -> str:
        """Say when an expression matches."""
        parts = [_years(expression.year), _months(expression), _days(expression), _time(expression), "运行"]
        return _joined(parts)

    def interval(self, every: int, mode: str) -> str:
        """Say how often an interval comes."""
        if mode == "fixed_delay":
            return f"每次运行结束后{_span(every)}再次运行"
        origin = "UTC 零点" if 86_400 % every == 0 else "1970-01-01T00:00:00Z "
        return {
            "fixed_rate": f"{_every(every)}运行一次",
            "aligned": f"{_every(every)}运行一次，自 {origin}起算",
            "calendar": f"{_every(every)}在相同的当地时间运行一次",
        }[mode]

    def repeats(self, count: int) -> str:
        """Say how many runs there are in all."""
        return f"共 {count} 次"

    def once(self, when: str) -> str:
        """Say that there is one run at a time."""
        return f"在 {when} 运行一次"

    def delayed(self, delay: int) -> str:
        """Say that there is one run after creation."""
        return f"创建后{_span(delay)}运行一次"

    def in_zone(self, timezone: str) -> str:
        """Say on whose clock."""
        return f"时区 {timezone}"

    def policies(self, gap: str | None, fold: str | None) -> list[str]:
        """Say what changes of the clock do, where it is not the usual."""
        parts = ["被时钟跳过的时刻移到跳过段的末尾"] if gap == "shift" else []
        return parts + (["重复出现的时刻运行两次"] if fold == "both" else [])

    def window(self, start: str | None, end: str | None) -> str:
        """Say between which bounds."""
        return "".join(([f"自 {start} 起"] if start else []) + ([f"至 {end} 止"] if end else []))

    def calendar(self, name: str, kind: str) -> str:
        """Say what a calendar does to occurrences it excludes."""
        return {
            "passed": f"日历 {name} 排除的时刻除外",
            "moved": f"日历 {name} 排除期间顺延",
            "dropped": f"被日历 {name} 排除则不运行",
        }[kind]

    def immediate(self, first: bool, started: bool) -> str:
        """Say that one more run comes at creation."""
        moment = "起始时刻" if started else "创建时"
        return f"首次在{moment}运行" if first else f"{moment}另运行一次"

    def sentence(self, parts: list[str]) -> str:
        """Join the parts into a sentence."""
        return "，".join(parts) + "。"


def _joined(parts: list[str]) -> str:
    """Parts as one text, with a space where digits or Latin letters meet Chinese characters."""
    text = ""
    for part in filter(None, parts):
        apart = text and text[-1] != "，" and (text[-1].isascii() or part[0].isascii())
        text += (" " if apart else "") + part
    return text


def _span(seconds: int) -> str:
    """90 seconds as " 90 秒", with the space that follows a Chinese character."""
    return " " + " ".join(f"{count} {_UNITS[unit]}" for count, unit in span(seconds))


def _every(seconds: int) -> str:
    found = span(seconds)
    return f"每{_UNITS[found[0][1]]}" if len(found) == 1 and found[0][0] == 1 else f"每{_span(seconds)}"


def _each(step: int, unit: str) -> str:
    return f"每{_UNITS[unit]}" if step == 1 else f"每 {step} {_UNITS[unit]}"


def _piece(piece: Piece) -> str:
    return str(piece.first) if piece.single else f"{piece.first} 至 {piece.last}"


def _list(found: list[int], unit: str) -> str:
    """ "5、10 日", "1 至 7、15 日"; evenly spaced ones are told with their step."""
    parts = pieces(found)
    if parts[0].step > 1:
        return f"{parts[0].first} 至 {parts[0].last} {unit}每 {parts[0].step} {_STEPS[unit]}"
    return "、".join(_piece(part) for part in parts) + f" {unit}"


def _time(expression: Expression) -> str:
    """The time of day: a few clock times, one stretch of the day, or a phrase for each unit from the hour down."""
    daily = "每天" if every_day(expression) else ""
    if times := clock_times(expression):
        return _joined([daily, "、".join(times)])
    if found := stretch(expression):
        return _joined([daily, f"{found.first} 至 {found.last}", _each(found.step, found.unit)])
    fields = {"second": expression.second, "minute": expression.minute, "hour": expression.hour}
    found_values = {unit: values(field) for unit, field in fields.items()}
    parts: list[str] = []
    for unit, matching in found_values.items():
        if unit == "second" and matching == [0]:
            continue
        step = regular(matching, unit)
        if step == 1 and parts and not parts[-1].startswith("第"):
            continue  # every 5 minutes are every hour's
        if step is not None and (not parts or step == 1):
            parts.append(_each(step, unit))
        elif step is not None and unit == "minute":
            parts.append(f"分钟数为 {step} 的倍数时")
        else:
            parts.append(("" if unit == "hour" else "第 ") + _list(matching, _POINTS[unit]))
    return _joined(parts[::-1])


def _days(expression: Expression) -> str:
    """The days; nothing where every day counts."""
    if every_day(expression):
        return ""
    months = expression.month.mask != 0x1FFE
    days = [] if expression.day.free else [_joined(["" if months else "每月", _day_of_month(expression.day)])]
    weekdays = [] if expression.weekday.free else [_day_of_week(expression.weekday, months)]
    return "以及".join(days + weekdays)


def _day_of_month(field: Field) -> str:
    words, days = [], values(field)
    if days:
        words.append(_list(days, "日"))
    near = sorted({item.first for item in field.items if item.kind == "nearest"})
    words += [f"离 {day} 日最近的工作日" for day in near]
    if any(item.kind == "last_weekday" for item in field.items):
        words.append("最后一个工作日")
    for back in sorted({item.first for item in field.items if item.kind == "last_day"}, reverse=True):
        words.append(f"倒数第 {back + 1} 天" if back else "最后一天")
    return "、".join(words)


def _day_of_week(field: Field, months: bool) -> str:
    words = [
        _WEEKDAYS[day.first % 7] if day.single else f"{_WEEKDAYS[day.first % 7]}至{_WEEKDAYS[day.last % 7]}"
        for day in weekday_pieces(field)
    ]
    chosen = [
        f"最后一个{_WEEKDAYS[item.first]}"
        if item.kind == "last"
        else f"第 {item.last} 个{_WEEKDAYS[item.first]}"
        for item in dict.fromkeys(field.items)
        if item.kind != "range"
    ]
    text = "每" + "、".join(words) if words else ""
    if chosen:
        text += ("、" if words else "") + _joined(["" if months else "每月", "、".join(chosen)])
    return text


def _months(expression: Expression) -> str:
    if expression.month.mask == 0x1FFE:
        return ""
    months = values(expression.month)
    stepped = pieces(months)[0].step > 1
    text = "、".join(map(str, months)) + " 月" if stepped else _list(months, "月")
    single = len(months) == 1 and expression.weekday.free and not every_day(expression)
    return ("" if expression.year is not None else "每年 ") + text + ("" if single else "的")


def _years(field: Field | None) -> str:
    if field is None:
        return ""
    found = values(field)
    return _list(found, "年") + ("，" if pieces(found)[0].step > 1 else "")
