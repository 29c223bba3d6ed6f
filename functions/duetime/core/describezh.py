"""Descriptions of schedules in Chinese."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from duetime.core.cronfields import Field, Item
from duetime.core.cronparse import Expression
from duetime.core.describeparts import clock_times, even_step, every_day, full, plain_items

_WEEKDAYS: Final = ("周日", "周一", "周二", "周三", "周四", "周五", "周六", "周日")
_UNITS: Final = ((86_400, "天"), (3_600, "小时"), (60, "分钟"), (1, "秒"))
_STEPS: Final = {"second": "秒", "minute": "分钟", "hour": "小时"}
_POINTS: Final = {"second": "秒", "minute": "分", "hour": "时"}


class Chinese:
    """See `duetime.core.describe.Language`."""

    def cron(self, expression: Expression) -> str:
        """Say when an expression matches."""
        year = "" if expression.year is None else f"{_list(expression.year, str, '年')}，"
        month = "" if expression.month.mask == 0x1FFE else f"{_list(expression.month, str, '月')}，"
        text = " ".join(
            part for part in (_days(expression, "" if month else "每月 "), _time(expression)) if part
        )
        return f"{year}{month}{text}{' ' if text[-1].isascii() else ''}运行"

    def interval(self, every: int, mode: str) -> str:
        """Say how often an interval comes."""
        span = _span(every)
        return {
            "fixed_rate": f"每{span}运行一次",
            "fixed_delay": f"每次运行结束{span}后再次运行",
            "aligned": f"每{span}运行一次，自 1970-01-01T00:00:00Z 起对齐",
            "calendar": f"每{span}在相同的当地时间运行一次",
        }[mode]

    def repeats(self, count: int) -> str:
        """Say how many runs there are in all."""
        return f"共 {count} 次"

    def once(self, when: str) -> str:
        """Say that there is one run at a time."""
        return f"在 {when} 运行一次"

    def delayed(self, delay: int) -> str:
        """Say that there is one run after creation."""
        return f"创建{_span(delay)}后运行一次"

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

    def calendar(self, name: str) -> str:
        """Say that a calendar excludes occurrences."""
        return f"日历 {name} 排除的时刻除外"

    def immediate(self) -> str:
        """Say that one more run comes at creation."""
        return "并立即运行一次"

    def sentence(self, parts: list[str]) -> str:
        """Join the parts into a sentence."""
        return "，".join(parts) + "。"


def _span(seconds: int) -> str:
    """90 seconds as " 1 分钟 30 秒"."""
    words = []
    for size, unit in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            words.append(f"{count} {unit}")
    return " " + " ".join(words)


def _item(item: Item, name: Callable[[int], str], unit: str) -> str:
    """A value, a range, or a range by a step."""
    if item.first == item.last or item.step > item.last - item.first:
        return f"{name(item.first)}{' ' + unit if unit else ''}"
    span = f"{name(item.first)} 至 {name(item.last)}" if unit else f"{name(item.first)}至{name(item.last)}"
    text = f"{span}{' ' + unit if unit else ''}"
    return text if item.step == 1 else f"{text}（每隔 {item.step}）"


def _list(field: Field, name: Callable[[int], str], unit: str) -> str:
    return "、".join(_item(item, name, unit) for item in plain_items(field))


def _time(expression: Expression) -> str:
    """The time of day: a few clock times, or a phrase for each unit from the hour down."""
    times = clock_times(expression)
    if times:
        return "、".join(times)
    parts: list[str] = []
    for unit, field in (
        ("second", expression.second),
        ("minute", expression.minute),
        ("hour", expression.hour),
    ):
        if unit == "second" and field.mask == 1:
            continue
        step = even_step(field, unit)
        if full(field, unit):
            if not parts or parts[-1].startswith("第"):
                parts.append(f"每{_STEPS[unit]}")
        elif step and (not parts or unit == "hour"):
            parts.append(f"每 {step} {_STEPS[unit]}")
        else:
            parts.append(("" if unit == "hour" else "第 ") + _list(field, str, _POINTS[unit]))
    return " ".join(reversed(parts))


def _days(expression: Expression, month: str) -> str:
    """The days; nothing where every day counts and the time is no clock time."""
    if every_day(expression):
        return "每天" if clock_times(expression) else ""
    days = [] if expression.day.free else [month + _day_of_month(expression.day)]
    weekdays = [] if expression.weekday.free else [_day_of_week(expression.weekday)]
    return "或".join(days + weekdays)


def _day_of_month(field: Field) -> str:
    words = [_item(item, str, "日") for item in plain_items(field)]
    for item in field.items:
        if item.kind == "last_day":
            words.append(f"倒数第 {item.first + 1} 天" if item.first else "最后一天")
        elif item.kind == "nearest":
            words.append(f"离 {item.first} 日最近的工作日")
        elif item.kind == "last_weekday":
            words.append("最后一个工作日")
    return "、".join(words)


def _day_of_week(field: Field) -> str:
    words = []
    for item in field.items:
        if item.kind == "range":
            words.append(_item(item, _WEEKDAYS.__getitem__, ""))
        elif item.kind == "last":
            words.append(f"每月最后一个{_WEEKDAYS[item.first]}")
        else:
            words.append(f"每月第 {item.last} 个{_WEEKDAYS[item.first]}")
    return "、".join(words)
