"""Descriptions in English and Chinese."""

from __future__ import annotations

import pytest

from duetime import ScheduleError, describe


@pytest.mark.parametrize(
    "form, english, chinese",
    [
        ("*/5 * * * *", "Every 5 minutes, UTC time.", "每 5 分钟运行，时区 UTC。"),
        ("* * * * * *", "Every second, UTC time.", "每秒运行，时区 UTC。"),
        ("30 * * * *", "At minute 30 of every hour, UTC time.", "每小时第 30 分运行，时区 UTC。"),
        ("5 * * * * *", "At second 5 of every minute, UTC time.", "每分钟第 5 秒运行，时区 UTC。"),
        ("*/7 * * * *", "Every 7 minutes from minute 0 to 56 of every hour, UTC time.",
         "每小时第 0 至 56 分每 7 分钟运行，时区 UTC。"),
        ("0 7,15 * * *", "At 07:00 and 15:00 every day, UTC time.", "每天 07:00、15:00 运行，时区 UTC。"),
        ("0 */2 * * *", "Every 2 hours from 00:00 to 22:00 every day, UTC time.",
         "每天 00:00 至 22:00 每 2 小时运行，时区 UTC。"),
        ("0 9-17 * * MON-FRI", "Every hour from 09:00 to 17:00, Monday to Friday, UTC time.",
         "每周一至周五 09:00 至 17:00 每小时运行，时区 UTC。"),
        ("*/10 5 9-17 * * *", "Every 10 seconds in minute 5 of hours 9 to 17, UTC time.",
         "9 至 17 时第 5 分每 10 秒运行，时区 UTC。"),
        ("0 22 L * ?", "At 22:00, on the last day of the month, UTC time.",
         "每月最后一天 22:00 运行，时区 UTC。"),
        ("0 9 15W,LW,L-1 * *",
         ("At 09:00, on the weekday nearest to day 15, "
          "the last weekday and the day before the last day of the month, UTC time."),
         "每月离 15 日最近的工作日、最后一个工作日、倒数第 2 天 09:00 运行，时区 UTC。"),
        ("0 0 * * FRI#2,SUNL", "At 00:00, on the second Friday and the last Sunday of the month, UTC time.",
         "每月第 2 个周五、最后一个周日 00:00 运行，时区 UTC。"),
        ("0 0 10 * MON", "At 00:00, on day 10 of the month and also on Monday, UTC time.",
         "每月 10 日以及每周一 00:00 运行，时区 UTC。"),
        ("0 0 0 1 JAN,JUL ? 2027-2029",
         "At 00:00, on day 1 of January and July, from 2027 to 2029, UTC time.",
         "2027 至 2029 年 1、7 月的 1 日 00:00 运行，时区 UTC。"),
        ("@weekly", "At 00:00, on Sunday, UTC time.", "每周日 00:00 运行，时区 UTC。"),
        ("0 0 * * SAT-SUN", "At 00:00, on Saturday and Sunday, UTC time.",
         "每周六、周日 00:00 运行，时区 UTC。"),
        ("every 10m x5", "Every 10 minutes, 5 runs in all.", "每 10 分钟运行一次，共 5 次。"),
        ("every 1h", "Every hour.", "每小时运行一次。"),
        ("every 90s delay x1", "90 seconds after each run has finished, 1 run in all.",
         "每次运行结束后 90 秒再次运行，共 1 次。"),
        ("every 5m aligned", "Every 5 minutes, counted from midnight UTC.",
         "每 5 分钟运行一次，自 UTC 零点起算。"),
        ("every 14d calendar tz=Europe/Berlin start=2026-01-01T09:00:00",
         "Every 14 days at the same local time, Europe/Berlin time, from 2026-01-01T09:00:00.",
         "每 14 天在相同的当地时间运行一次，时区 Europe/Berlin，自 2026-01-01T09:00:00 起。"),
        ("once in 10m", "Once, 10 minutes after creation.", "创建后 10 分钟运行一次。"),
        ("once 2026-11-01T09:00:00Z", "Once at 2026-11-01T09:00:00Z.", "在 2026-11-01T09:00:00Z 运行一次。"),
        ("once 2026-11-01T09:00:00 tz=Asia/Tokyo", "Once at 2026-11-01T09:00:00, Asia/Tokyo time.",
         "在 2026-11-01T09:00:00 运行一次，时区 Asia/Tokyo。"),
        ({"at": "2026-11-01T00:00:00Z", "timezone": "Asia/Tokyo"},
         "Once at 2026-11-01T09:00:00+09:00, Asia/Tokyo time.",
         "在 2026-11-01T09:00:00+09:00 运行一次，时区 Asia/Tokyo。"),
        ("0 9 * * * tz=Europe/Berlin gap=shift fold=both",
         ("At 09:00 every day, Europe/Berlin time, times skipped by the clock move to the end of the gap, "
          "times that come twice run twice."),
         "每天 09:00 运行，时区 Europe/Berlin，被时钟跳过的时刻移到跳过段的末尾，重复出现的时刻运行两次。"),
        ("every 1d start=2026-01-01T00:00:00Z end=2027-01-01T00:00:00Z calendar=off immediate",
         ("Every day, from 2026-01-01T00:00:00Z until 2027-01-01T00:00:00Z, "
          "except where calendar off excludes it, the first at the start."),
         ("每天运行一次，自 2026-01-01T00:00:00Z 起至 2027-01-01T00:00:00Z 止，"
          "日历 off 排除的时刻除外，首次在起始时刻运行。")),
    ],
)  # fmt: skip
def test_sentences(form: object, english: str, chinese: str) -> None:
    assert describe(form) == english
    assert describe(form, "zh") == chinese


def test_other_languages_are_refused() -> None:
    with pytest.raises(ScheduleError) as caught:
        describe("@daily", "tlh")
    assert caught.value.field == "language"
