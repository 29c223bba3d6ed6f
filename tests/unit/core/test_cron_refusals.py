"""A refused expression names the field, repeats the offending text and says what to write instead."""

from __future__ import annotations

import pytest

from duetime import Cron, ScheduleError
from duetime.core.cron import check_cron, read_cron


@pytest.mark.parametrize(
    "cron, message",
    [
        ("60 * * * *", "cron.minute: '60' is out of range. A minute runs from 0 to 59"),
        ("0 24 * * *", "cron.hour: '24' is out of range. Midnight is hour 0"),
        ("0 0 32 * *", "cron.day_of_month: '32' is out of range. Use 1 to 31."),
        ("0 0 * 13 *", "cron.month: '13' is out of range. Use 1 to 12."),
        ("0 0 * * 8", "cron.day_of_week: '8' is out of range. Use 0 to 7 (0 and 7 are Sunday) or SUN to SAT."),
        ("0 0 0 1 1 ? 2100", "cron.year: '2100' is out of range. Use 1970 to 2099."),
        ("*/0 * * * *", "cron.minute: '*/0' has a step of zero"),
        ("*/x * * * *", "cron.minute: '*/x' has no whole number as its step"),
        ("5-1 * * * *", "cron.minute: '5-1' is a reversed range. Write 5-59,0-1."),
        ("0 0 * * Fri-mon", "cron.day_of_week: 'Fri-mon' is a reversed range. Write FRI-SAT,SUN-MON."),
        ("0 0 * * SAT-MON", "Write SAT,SUN-MON."),
        ("0 0 * * 7-2", "is a reversed range"),
        ("0 0 * * L", "cron.day_of_week: 'L' stands alone, which schedulers read differently. Write SATL"),
        ("0 0 * * FRI#6", "Write FRI#1 to FRI#5"),
        ("0 0 WL * *", "Write LW"),
        ("0 0 L-31 * *", "with n from 1 to 30"),
        ("0 0 L-3W * *", "cron.day_of_month: 'L-3W' joins L-n and W. W does not follow L-n: write L-3, or LW"),
        ("0 0 32W * *", "Write W after one day from 1 to 31"),
        ("H * * * *", "is a hashed or random value"),
        ("R(0-59) * * * *", "is a hashed or random value"),
        ("0 0 ?,5 * *", "cron.day_of_month: '?' has ? beside other values. Write ? alone, or values such as 1,15 or L."),
        ("0 ? * * *", "cron.hour: '?' is taken in the two day fields only. Write *."),
        ("?/5 * * * *", "cron.minute: '?/5' is taken in the two day fields only. Write */5."),
        ("0 0 * * MON,", "is empty between commas"),
        ("MON * * * *", "cron.minute: 'MON' has the unknown value 'MON'"),
        ("0 0 * * MONDAY", "has the unknown value 'MONDAY'. Names have three letters: write MON."),
        ("0 0 1 SEPTEMBER *", "Names have three letters: write SEP."),
        ("0 0 * * MOO", "has the unknown value 'MOO'. Use names SUN to SAT or numbers 0 to 7"),
        ("0 0 * * SUN..SAT", "cron.day_of_week: 'SUN..SAT' has dots in it. Write a range with -, such as SUN-SAT."),
        ("5~10 * * * *", "is a hashed or random value"),
        ("0 9 ? * MON-FRI *",
         ("cron.hour: '?' is taken in the two day fields only. Six fields begin with the second. If the last one "
          "is the year, as in EventBridge and viat, write 0 0 9 ? * MON-FRI.")),
        ("0 9 ? * 2-6 2027", "write 0 0 9 ? * MON-FRI 2027."),
        ("15 10 L * ? 2027-2030", "write 0 15 10 L * ? 2027-2030."),
        ("0 9 15W * ? *", "write 0 0 9 15W * ?."),
        ("0 9 * * MON-FRI *", "write 0 0 9 * * MON-FRI."),
        ("0 9 1 JAN ? *", "write 0 0 9 1 JAN ?."),
        ("30 2 * * 1 2027", "write 0 30 2 * * 1 2027."),
        ("60 2 * * * *", "cron.second: '60' is out of range. A second runs from 0 to 59; use 0."),
        ("99 2 ? * MON 2027", "cron.second: '99' is out of range. Use 0 to 59."),
        ("cron(0 9 ? * MON-FRI *)", "is in the notation of EventBridge. Write 0 0 9 ? * MON-FRI."),
        ("cron(15 10 ? * 6L 2027)", "Write 0 15 10 ? * FRIL 2027."),
        ("cron(0 9 * * MON-FRI)", "Write the fields alone, the second first and the year last"),
        ("0 9 * * * tz=Asia/Tokyo", "Give the zone beside the expression, as timezone or tz=Asia/Tokyo."),
        ("0 0 31 2,4 *", "can match no date"),
        ("0 0 30W 2 *", "can match no date"),
        ("0 0 0 1 1 ? *", None),
        ("0 0 * * 5#5", None),
        ("0 0 L-0 * *", None),
        ("0 0 ? * ?", None),
        ("@Weekly", None),
        ("@reboot", "names no time"),
        ("@every 90s", "Write every 90s instead."),
        ("@fortnightly", "is no known macro. Write one of @yearly"),
        ("@", "is no known macro"),
        ("* * * * * * * *", "has 8 fields. Write 5 fields"),
        ("CRON_TZ=Asia/Tokyo 0 9 * * *", "Give the zone beside the expression, as timezone or tz=Asia/Tokyo."),
        ("0 9 * * *;rm", "has the unknown value '*;rm'"),
        ("0\r9 * * *", "has a line break or control character"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_what_to_write(cron: str, message: str | None) -> None:
    if message is None:
        assert check_cron(cron) == cron
        return
    with pytest.raises(ScheduleError) as caught:
        Cron(cron)
    assert message.casefold() in str(caught.value).casefold()
    assert caught.value.code == "VALIDATION_SCHEDULE"
    assert caught.value.status == 400


@pytest.mark.parametrize(
    "line, expression",
    [
        ("*/5 * * * * root /usr/bin/foo", "*/5 * * * *"), ("0 9 * * 1 /usr/bin/foo", "0 9 * * 1"),
        ("0 9 * * MON backup", "0 9 * * MON"), ("0 9 * * * root run-parts", "0 9 * * *"),
        ("*/5 * * * * root cd /x && ./y --a=b > /dev/null 2>&1", "*/5 * * * *"), ("@daily root /x/y", "@daily"),
        ("0 9 * * * FOO=bar ~/bin/y", "0 9 * * *"),
    ],
)  # fmt: skip
def test_a_line_of_a_crontab_is_known_by_its_command(line: str, expression: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        Cron(line)
    assert (caught.value.field, caught.value.problem) == ("cron", "has more than an expression")
    assert caught.value.hint == (
        f"A crontab's user and command are no part of it: write {expression}. What runs is the target."
    )


@pytest.mark.parametrize(
    "cron, field",
    [
        ("0 0 9 * * FOO", "cron.day_of_week"), ("0 0 9 * * sundae 2027", "cron.day_of_week"),
        ("61 9 * * * root /usr/bin/foo", "cron.day_of_week"), ("0 0 9 * FOO MON", "cron.month"),
        ("0 9 * * * tz=Asia/Tokyo", "cron"),
    ],
)  # fmt: skip
def test_other_mistakes_are_not_taken_for_a_crontab(cron: str, field: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        Cron(cron)
    assert "crontab" not in str(caught.value)
    if "root" not in cron:
        assert caught.value.field == field


@pytest.mark.parametrize(
    "cron, answer",
    [
        ("0 9 * * sunday", "'sunday' has the unknown value 'sunday'. Names have three letters: write SUN."),
        ("0 9 * * mon-Funday", "'mon-Funday' has the unknown value 'Funday'."),
        ("random * * * *", "'random' has the unknown value 'random'. Use numbers 0 to 59"),
        ("root * * * *", "'root' has the unknown value 'root'."),
        ("h(0-29)/10 * * * *", "'h(0-29)/10' is a hashed or random value."),
        ("0 9 * * *,H", "'H' is a hashed or random value."),
    ],
)
def test_what_was_written_is_repeated_as_written(cron: str, answer: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        Cron(cron)
    assert answer in str(caught.value)


def test_a_long_text_is_cut_in_the_error() -> None:
    with pytest.raises(ScheduleError) as caught:
        Cron("*" * 100_000)
    assert len(caught.value.value) == 81
    assert "256" in str(caught.value)


@pytest.mark.parametrize(
    "field, cron, beyond",
    [
        ("minute", "*/60 * * * *", ("*/60",)), ("minute", "0,30/31 * * * *", ("30/31",)), ("hour", "0 */24 * * *", ("*/24",)),
        ("day", "0 0 */31 * *", ("*/31",)), ("month", "0 0 1 */12 *", ("*/12",)), ("minute", "*/59 * * * *", ()),
        ("weekday", "0 0 * * */7", ("*/7",)), ("minute", "0-10/20 * * * *", ("0-10/20",)), ("minute", "*/1 * * * *", ()),
    ],
)  # fmt: skip
def test_steps_beyond_their_field_are_legal_and_known(field: str, cron: str, beyond: tuple[str, ...]) -> None:
    assert getattr(read_cron(cron), field).beyond == beyond


def test_policies_and_datetimes_of_the_library() -> None:
    for wrong in ({"dst_gap": "jump"}, {"dst_fold": "second"}, {"tz": "Mars/Base"}):
        with pytest.raises(ScheduleError) as caught:
            Cron("0 9 * * *", **wrong)
        assert caught.value.field in ("dst_gap", "dst_fold", "timezone")
    from datetime import datetime

    with pytest.raises(ScheduleError) as naive:
        Cron("0 9 * * *").next(datetime(2026, 1, 1))
    assert naive.value.field == "after"
    assert repr(Cron(" 0  9 * * * ", "Asia/Tokyo")) == "Cron('0 9 * * *', 'Asia/Tokyo')"
