"""Descriptions, many and varied: each was read by an editor, and no two meanings share a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from duetime import ScheduleError, describe
from duetime.core.cron import read_cron
from duetime.core.cronparse import Expression
from duetime.core.describeparts import every_day, span
from duetime.core.schedule import CronSchedule, parse_schedule
from tests.laws.strategies import expressions

SENTENCES = (
    ("* * * * *", "Every minute, UTC time.", "每分钟运行，时区 UTC。"),
    ("*/15 9-17 * * MON-FRI", "Every 15 minutes from 09:00 to 17:45, Monday to Friday, UTC time.",
     "每周一至周五 09:00 至 17:45 每 15 分钟运行，时区 UTC。"),
    ("0/15 * * * *", "Every 15 minutes, UTC time.", "每 15 分钟运行，时区 UTC。"),
    ("5/15 * * * *", "Every 15 minutes from minute 5 to 50 of every hour, UTC time.",
     "每小时第 5 至 50 分每 15 分钟运行，时区 UTC。"),
    ("0 0 * * *", "At 00:00 every day, UTC time.", "每天 00:00 运行，时区 UTC。"),
    ("30 4 1,15 * FRI", "At 04:30, on days 1 and 15 of the month and also on Friday, UTC time.",
     "每月 1、15 日以及每周五 04:30 运行，时区 UTC。"),
    ("0 9 * * 1", "At 09:00, on Monday, UTC time.", "每周一 09:00 运行，时区 UTC。"),
    ("0 9 * * 1-5", "At 09:00, Monday to Friday, UTC time.", "每周一至周五 09:00 运行，时区 UTC。"),
    ("0 9 * * MON,WED,FRI", "At 09:00, on Monday, Wednesday and Friday, UTC time.",
     "每周一、周三、周五 09:00 运行，时区 UTC。"),
    ("0 9 * * MON-WED,SAT", "At 09:00, Monday to Wednesday and Saturday, UTC time.",
     "每周一至周三、周六 09:00 运行，时区 UTC。"),
    ("0 9 * * */2", "At 09:00, on Tuesday, Thursday, Saturday and Sunday, UTC time.",
     "每周二、周四、周六、周日 09:00 运行，时区 UTC。"),
    ("0 9 */2 * *", "At 09:00, on every 2nd day from 1 to 31 of the month, UTC time.",
     "每月 1 至 31 日每 2 天 09:00 运行，时区 UTC。"),
    ("0 9 1-7 * *", "At 09:00, on days 1 to 7 of the month, UTC time.",
     "每月 1 至 7 日 09:00 运行，时区 UTC。"),
    ("0 9 1-7,15 * *", "At 09:00, on days 1 to 7 and 15 of the month, UTC time.",
     "每月 1 至 7、15 日 09:00 运行，时区 UTC。"),
    ("0 9 1,15,L * *", "At 09:00, on days 1 and 15 and the last day of the month, UTC time.",
     "每月 1、15 日、最后一天 09:00 运行，时区 UTC。"),
    ("0 9 L-3 * *", "At 09:00, 3 days before the last day of the month, UTC time.",
     "每月倒数第 4 天 09:00 运行，时区 UTC。"),
    ("0 9 L-1 * *", "At 09:00, on the day before the last day of the month, UTC time.",
     "每月倒数第 2 天 09:00 运行，时区 UTC。"),
    ("0 9 15W * *", "At 09:00, on the weekday nearest to day 15 of the month, UTC time.",
     "每月离 15 日最近的工作日 09:00 运行，时区 UTC。"),
    ("0 9 LW * *", "At 09:00, on the last weekday of the month, UTC time.",
     "每月最后一个工作日 09:00 运行，时区 UTC。"),
    ("0 9 1W,15W,LW * *",
     "At 09:00, on the weekdays nearest to days 1 and 15 and the last weekday of the month, UTC time.",
     "每月离 1 日最近的工作日、离 15 日最近的工作日、最后一个工作日 09:00 运行，时区 UTC。"),
    ("0 9 * * FRIL", "At 09:00, on the last Friday of the month, UTC time.",
     "每月最后一个周五 09:00 运行，时区 UTC。"),
    ("0 9 * * FRI#2,FRI#4",
     "At 09:00, on the second Friday and the fourth Friday of the month, UTC time.",
     "每月第 2 个周五、第 4 个周五 09:00 运行，时区 UTC。"),
    ("0 9 * * MON-FRI,SUNL", "At 09:00, Monday to Friday and the last Sunday of the month, UTC time.",
     "每周一至周五、每月最后一个周日 09:00 运行，时区 UTC。"),
    ("0 9 L * FRI", "At 09:00, on the last day of the month and also on Friday, UTC time.",
     "每月最后一天以及每周五 09:00 运行，时区 UTC。"),
    ("0 9 L * FRIL",
     "At 09:00, on the last day of the month and also on the last Friday of the month, UTC time.",
     "每月最后一天以及每月最后一个周五 09:00 运行，时区 UTC。"),
    ("0 9 ? * FRI#1", "At 09:00, on the first Friday of the month, UTC time.",
     "每月第 1 个周五 09:00 运行，时区 UTC。"),
    ("0 0 1 1 *", "At 00:00, on day 1 of January, UTC time.", "每年 1 月 1 日 00:00 运行，时区 UTC。"),
    ("0 0 29 2 *", "At 00:00, on day 29 of February, UTC time.",
     "每年 2 月 29 日 00:00 运行，时区 UTC。"),
    ("0 0 1 */3 *", "At 00:00, on day 1 of the month, in January, April, July and October, UTC time.",
     "每年 1、4、7、10 月的 1 日 00:00 运行，时区 UTC。"),
    ("0 0 1 JAN-MAR,OCT *",
     "At 00:00, on day 1 of the month, in January, February, March and October, UTC time.",
     "每年 1 至 3、10 月的 1 日 00:00 运行，时区 UTC。"),
    ("0 0 1 1-6/2 *", "At 00:00, on day 1 of January, March and May, UTC time.",
     "每年 1、3、5 月的 1 日 00:00 运行，时区 UTC。"),
    ("0,30 * * * *", "Every 30 minutes, UTC time.", "每 30 分钟运行，时区 UTC。"),
    ("0,30 9-17 * * *", "Every 30 minutes from 09:00 to 17:30 every day, UTC time.",
     "每天 09:00 至 17:30 每 30 分钟运行，时区 UTC。"),
    ("0 9,12,15,18 * * *", "At 09:00, 12:00, 15:00 and 18:00 every day, UTC time.",
     "每天 09:00、12:00、15:00、18:00 运行，时区 UTC。"),
    ("15,45 6-8,16-18 * * *", "At minutes 15 and 45 of hours 6 to 8 and 16 to 18, UTC time.",
     "6 至 8、16 至 18 时第 15、45 分运行，时区 UTC。"),
    ("*/7 */5 * * *", "Every 7 minutes from minute 0 to 56 of every 5th hour from 0 to 20, UTC time.",
     "0 至 20 时每 5 小时第 0 至 56 分每 7 分钟运行，时区 UTC。"),
    ("0 */5 * * *", "At 00:00, 05:00, 10:00, 15:00 and 20:00 every day, UTC time.",
     "每天 00:00、05:00、10:00、15:00、20:00 运行，时区 UTC。"),
    ("0 1-23/2 * * *", "Every 2 hours from 01:00 to 23:00 every day, UTC time.",
     "每天 01:00 至 23:00 每 2 小时运行，时区 UTC。"),
    ("7 * * * *", "At minute 7 of every hour, UTC time.", "每小时第 7 分运行，时区 UTC。"),
    ("* 9 * * *", "Every minute from 09:00 to 09:59 every day, UTC time.",
     "每天 09:00 至 09:59 每分钟运行，时区 UTC。"),
    ("*/10 * * * * *", "Every 10 seconds, UTC time.", "每 10 秒运行，时区 UTC。"),
    ("*/7 * * * * *", "Every 7 seconds from second 0 to 56 of every minute, UTC time.",
     "每分钟第 0 至 56 秒每 7 秒运行，时区 UTC。"),
    ("5,35 * * * * *", "At seconds 5 and 35 of every minute, UTC time.",
     "每分钟第 5、35 秒运行，时区 UTC。"),
    ("0-30 * * * * *", "At seconds 0 to 30 of every minute, UTC time.",
     "每分钟第 0 至 30 秒运行，时区 UTC。"),
    ("30 0 9 * * *", "At 09:00:30 every day, UTC time.", "每天 09:00:30 运行，时区 UTC。"),
    ("* 30 9 * * *", "Every second from 09:30:00 to 09:30:59 every day, UTC time.",
     "每天 09:30:00 至 09:30:59 每秒运行，时区 UTC。"),
    ("*/10 30 9 * * *",
     "At 09:30:00, 09:30:10, 09:30:20, 09:30:30, 09:30:40 and 09:30:50 every day, UTC time.",
     "每天 09:30:00、09:30:10、09:30:20、09:30:30、09:30:40、09:30:50 运行，时区 UTC。"),
    ("0 0 */2 * * *", "Every 2 hours from 00:00 to 22:00 every day, UTC time.",
     "每天 00:00 至 22:00 每 2 小时运行，时区 UTC。"),
    ("*/10 */5 * * * *", "Every 10 seconds in every 5th minute of every hour, UTC time.",
     "分钟数为 5 的倍数时每 10 秒运行，时区 UTC。"),
    ("5 */5 * * * *", "At second 5 of every 5th minute of every hour, UTC time.",
     "分钟数为 5 的倍数时第 5 秒运行，时区 UTC。"),
    ("0 0 9 * * MON 2027", "At 09:00, on Monday, in 2027, UTC time.",
     "2027 年每周一 09:00 运行，时区 UTC。"),
    ("0 0 9 * * * 2027-2029", "At 09:00 every day, from 2027 to 2029, UTC time.",
     "2027 至 2029 年每天 09:00 运行，时区 UTC。"),
    ("0 0 9 * * * 2027,2030", "At 09:00 every day, in 2027 and 2030, UTC time.",
     "2027、2030 年每天 09:00 运行，时区 UTC。"),
    ("0 0 9 * * * 2027/2", "At 09:00 every day, in every 2nd year from 2027 to 2099, UTC time.",
     "2027 至 2099 年每 2 年，每天 09:00 运行，时区 UTC。"),
    ("0 0 9 * * * */4", "At 09:00 every day, in every 4th year from 1970 to 2098, UTC time.",
     "1970 至 2098 年每 4 年，每天 09:00 运行，时区 UTC。"),
    ("0 0 9 1 1 ? 2027", "At 09:00, on day 1 of January, in 2027, UTC time.",
     "2027 年 1 月 1 日 09:00 运行，时区 UTC。"),
    ("*/60 * * * *", "At minute 0 of every hour, UTC time.", "每小时第 0 分运行，时区 UTC。"),
    ("0 0 * * 0-7", "At 00:00 every day, UTC time.", "每天 00:00 运行，时区 UTC。"),
    ("0 0 1-31 * *", "At 00:00 every day, UTC time.", "每天 00:00 运行，时区 UTC。"),
    ("0 0 1-31 * MON", "At 00:00 every day, UTC time.", "每天 00:00 运行，时区 UTC。"),
    ("* * 1 * *", "Every minute, on day 1 of the month, UTC time.", "每月 1 日每分钟运行，时区 UTC。"),
    ("* * * 1 *", "Every minute, in January, UTC time.", "每年 1 月的每分钟运行，时区 UTC。"),
    ("* * * * MON", "Every minute, on Monday, UTC time.", "每周一每分钟运行，时区 UTC。"),
    ("*/5 * * * MON", "Every 5 minutes, on Monday, UTC time.", "每周一每 5 分钟运行，时区 UTC。"),
    ("*/5 * 1-7 * *", "Every 5 minutes, on days 1 to 7 of the month, UTC time.",
     "每月 1 至 7 日每 5 分钟运行，时区 UTC。"),
    ("0 */2 1 * *", "Every 2 hours from 00:00 to 22:00, on day 1 of the month, UTC time.",
     "每月 1 日 00:00 至 22:00 每 2 小时运行，时区 UTC。"),
    ("10-20 * * * *", "At minutes 10 to 20 of every hour, UTC time.",
     "每小时第 10 至 20 分运行，时区 UTC。"),
    ("10-20 3 * * *", "Every minute from 03:10 to 03:20 every day, UTC time.",
     "每天 03:10 至 03:20 每分钟运行，时区 UTC。"),
    ("1-59/2 * * * *", "Every 2 minutes from minute 1 to 59 of every hour, UTC time.",
     "每小时第 1 至 59 分每 2 分钟运行，时区 UTC。"),
    ("0 8-18/2 * * *", "At 08:00, 10:00, 12:00, 14:00, 16:00 and 18:00 every day, UTC time.",
     "每天 08:00、10:00、12:00、14:00、16:00、18:00 运行，时区 UTC。"),
    ("0 9 * JUN-AUG MON-FRI tz=Europe/Berlin",
     "At 09:00, Monday to Friday, from June to August, Europe/Berlin time.",
     "每年 6 至 8 月的每周一至周五 09:00 运行，时区 Europe/Berlin。"),
    ("0 9 * JUN-AUG MON-FRI tz=Europe/Berlin gap=shift",
     ("At 09:00, Monday to Friday, from June to August, Europe/Berlin time, "
      "times skipped by the clock move to the end of the gap."),
     "每年 6 至 8 月的每周一至周五 09:00 运行，时区 Europe/Berlin，被时钟跳过的时刻移到跳过段的末尾。"),
    ("0 9 * * * tz=Europe/Berlin gap=skip fold=first", "At 09:00 every day, Europe/Berlin time.",
     "每天 09:00 运行，时区 Europe/Berlin。"),
    ("*/5 * * * * tz=Europe/Berlin fold=both",
     "Every 5 minutes, Europe/Berlin time, times that come twice run twice.",
     "每 5 分钟运行，时区 Europe/Berlin，重复出现的时刻运行两次。"),
    ("@yearly", "At 00:00, on day 1 of January, UTC time.", "每年 1 月 1 日 00:00 运行，时区 UTC。"),
    ("@monthly", "At 00:00, on day 1 of the month, UTC time.", "每月 1 日 00:00 运行，时区 UTC。"),
    ("@daily", "At 00:00 every day, UTC time.", "每天 00:00 运行，时区 UTC。"),
    ("@hourly", "At minute 0 of every hour, UTC time.", "每小时第 0 分运行，时区 UTC。"),
    ("every 90s", "Every 90 seconds.", "每 90 秒运行一次。"),
    ("every 1s", "Every second.", "每秒运行一次。"),
    ("every 1m", "Every minute.", "每分钟运行一次。"),
    ("every 1d", "Every day.", "每天运行一次。"),
    ("every 36h", "Every 36 hours.", "每 36 小时运行一次。"),
    ("every 90m", "Every 90 minutes.", "每 90 分钟运行一次。"),
    ("every 90m delay", "90 minutes after each run has finished.", "每次运行结束后 90 分钟再次运行。"),
    ("every 1d1h1m1s", "Every 1 day, 1 hour, 1 minute and 1 second.",
     "每 1 天 1 小时 1 分钟 1 秒运行一次。"),
    ("every 7m aligned", "Every 7 minutes, counted from 1970-01-01T00:00:00Z.",
     "每 7 分钟运行一次，自 1970-01-01T00:00:00Z 起算。"),
    ("every 7d aligned", "Every 7 days, counted from 1970-01-01T00:00:00Z.",
     "每 7 天运行一次，自 1970-01-01T00:00:00Z 起算。"),
    ("every 1d aligned", "Every day, counted from midnight UTC.", "每天运行一次，自 UTC 零点起算。"),
    ("every 1d calendar tz=Europe/Berlin", "Every day at the same local time, Europe/Berlin time.",
     "每天在相同的当地时间运行一次，时区 Europe/Berlin。"),
    ("every 14d calendar tz=Europe/Berlin start=2027-01-04T09:00:00",
     "Every 14 days at the same local time, Europe/Berlin time, from 2027-01-04T09:00:00.",
     "每 14 天在相同的当地时间运行一次，时区 Europe/Berlin，自 2027-01-04T09:00:00 起。"),
    ("every 1d calendar tz=Europe/Berlin gap=shift fold=both",
     ("Every day at the same local time, Europe/Berlin time, "
      "times skipped by the clock move to the end of the gap, times that come twice run twice."),
     ("每天在相同的当地时间运行一次，时区 Europe/Berlin，被时钟跳过的时刻移到跳过段的末尾，"
      "重复出现的时刻运行两次。")),
    ("every 14d calendar", "Every 14 days at the same local time, UTC time.",
     "每 14 天在相同的当地时间运行一次，时区 UTC。"),
    ("every 10m x1", "Every 10 minutes, 1 run in all.", "每 10 分钟运行一次，共 1 次。"),
    ("every 10m delay x5", "10 minutes after each run has finished, 5 runs in all.",
     "每次运行结束后 10 分钟再次运行，共 5 次。"),
    ("every 10m immediate", "Every 10 minutes, the first at creation.",
     "每 10 分钟运行一次，首次在创建时运行。"),
    ("every 10m delay immediate", "10 minutes after each run has finished, the first at creation.",
     "每次运行结束后 10 分钟再次运行，首次在创建时运行。"),
    ("every 10m x5 immediate", "Every 10 minutes, 5 runs in all, the first at creation.",
     "每 10 分钟运行一次，共 5 次，首次在创建时运行。"),
    ("every 10m start=2027-01-01T00:00:00Z", "Every 10 minutes, from 2027-01-01T00:00:00Z.",
     "每 10 分钟运行一次，自 2027-01-01T00:00:00Z 起。"),
    ("every 10m end=2027-01-01T00:00:00Z", "Every 10 minutes, until 2027-01-01T00:00:00Z.",
     "每 10 分钟运行一次，至 2027-01-01T00:00:00Z 止。"),
    ("every 10m start=2027-01-01T00:00:00Z end=2027-02-01T00:00:00Z",
     "Every 10 minutes, from 2027-01-01T00:00:00Z until 2027-02-01T00:00:00Z.",
     "每 10 分钟运行一次，自 2027-01-01T00:00:00Z 起至 2027-02-01T00:00:00Z 止。"),
    ("every 10m calendar=holidays", "Every 10 minutes, except where calendar holidays excludes it.",
     "每 10 分钟运行一次，日历 holidays 排除的时刻除外。"),
    ("0 9 * * * calendar=holidays immediate",
     "At 09:00 every day, UTC time, except where calendar holidays excludes it, and once at creation.",
     "每天 09:00 运行，时区 UTC，日历 holidays 排除的时刻除外，创建时另运行一次。"),
    ("once 2027-01-15T09:00:00Z", "Once at 2027-01-15T09:00:00Z.", "在 2027-01-15T09:00:00Z 运行一次。"),
    ("once 2027-01-15T09:00:00+08:00", "Once at 2027-01-15T01:00:00Z.",
     "在 2027-01-15T01:00:00Z 运行一次。"),
    ("once 2027-01-15T09:00:00 tz=Europe/Berlin", "Once at 2027-01-15T09:00:00, Europe/Berlin time.",
     "在 2027-01-15T09:00:00 运行一次，时区 Europe/Berlin。"),
    ("once 2027-01-15T09:00:00", "Once at 2027-01-15T09:00:00, UTC time.",
     "在 2027-01-15T09:00:00 运行一次，时区 UTC。"),
    ("once 2027-01-15T09:00:00Z tz=Europe/Berlin",
     "Once at 2027-01-15T10:00:00+01:00, Europe/Berlin time.",
     "在 2027-01-15T10:00:00+01:00 运行一次，时区 Europe/Berlin。"),
    ("once 2027-03-28T02:30:00 tz=Europe/Berlin gap=shift",
     "Once at 2027-03-28T02:30:00, Europe/Berlin time, times skipped by the clock move to the end of the gap.",
     "在 2027-03-28T02:30:00 运行一次，时区 Europe/Berlin，被时钟跳过的时刻移到跳过段的末尾。"),
    ("once in 90s", "Once, 90 seconds after creation.", "创建后 90 秒运行一次。"),
    ("once in 1d calendar=holidays", "Once, 1 day after creation, unless calendar holidays excludes it.",
     "创建后 1 天运行一次，被日历 holidays 排除则不运行。"),
    ("once 2027-01-15T09:00:00Z immediate", "Once at 2027-01-15T09:00:00Z, and once at creation.",
     "在 2027-01-15T09:00:00Z 运行一次，创建时另运行一次。"),
)  # fmt: skip
"""Form, English, Chinese."""


@pytest.mark.parametrize("form, english, chinese", SENTENCES, ids=[one[0] for one in SENTENCES])
def test_sentences(form: str, english: str, chinese: str) -> None:
    assert describe(form) == english
    assert describe(form, "zh") == chinese


def _meaning(expression: Expression) -> object:
    """What an expression matches, whatever way it was written."""
    days: object = "every day"
    if not every_day(expression):
        days = tuple(
            None
            if field.free
            else (field.mask, frozenset(item[:3] for item in field.items if item.kind != "range"))
            for field in (expression.day, expression.weekday)
        )
    fields = (expression.second, expression.minute, expression.hour, expression.month)
    return *(field.mask for field in fields), days, expression.year and expression.year.mask


def _schedule_meaning(form: str) -> object:
    parsed = parse_schedule(form)
    if not isinstance(parsed, CronSchedule):
        return parsed
    usual = replace(parsed, cron="", timezone=parsed.timezone or "UTC", dst_gap=parsed.dst_gap or "skip",
                    dst_fold=parsed.dst_fold or "first")  # fmt: skip
    return usual, _meaning(read_cron(parsed.cron))


def test_no_two_meanings_share_a_sentence() -> None:
    for language in (1, 2):
        meant: dict[str, object] = {}
        for row in SENTENCES:
            assert meant.setdefault(row[language], _schedule_meaning(row[0])) == _schedule_meaning(row[0]), (
                row
            )


def test_no_two_random_expressions_of_other_meanings_share_a_sentence() -> None:
    seen: dict[str, tuple[object, str]] = {}

    @settings(
        max_examples=100,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(expressions(), expressions(seconds=True))
    def law(plain: str, seconds: str) -> None:
        for form in (plain, seconds):
            try:
                meaning = _meaning(read_cron(form))
            except ScheduleError:  # no date can match it
                continue
            for language, stop in (("en", "."), ("zh", "。")):
                sentence = describe(form, language)
                assert sentence.endswith(stop)
                assert "  " not in sentence
                known, other = seen.setdefault(sentence, (meaning, form))
                assert known == meaning, (form, other, sentence)

    law()
    assert len(seen) > 100


@pytest.mark.parametrize(
    "every", [1, 59, 60, 61, 99, 100, 3_599, 3_600, 5_999, 6_000, 86_400, 90_000, 8_640_000, 31_622_400]
)
def test_a_duration_in_words_is_exact(every: int) -> None:
    sizes = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
    assert sum(count * sizes[unit] for count, unit in span(every)) == every
    for mode in ("", " delay", " aligned"):
        assert describe(f"every {every}s{mode}").endswith(".")
        assert describe(f"every {every}s{mode}", "zh").endswith("。")
