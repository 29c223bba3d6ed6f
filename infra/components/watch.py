"""Alarms for what an operator must know, and one dashboard that answers "is it on time?".

Silence is a failure here: the tick's alarm treats missing data as breaching. Each alarm's description says what it
means for runs and what to do. With `alarm_topic` in the stage they notify that SNS topic; without it they only show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import Stage

_MINUTE, _FIVE = Duration.minutes(1), Duration.minutes(5)
_AT_LEAST = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
_LESS = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD


class Watch(Construct):
    """Alarms and dashboard over the functions, run queues and dead-letter queues given by name."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        stage: Stage,
        functions: Mapping[str, lambda_.IFunction],
        queues: Mapping[str, sqs.IQueue],
        dead: Mapping[str, sqs.IQueue],
    ) -> None:
        super().__init__(scope, id)
        self.alarms: list[cloudwatch.Alarm] = []
        self._topic = (
            sns.Topic.from_topic_arn(self, "Topic", stage.alarm_topic) if stage.alarm_topic else None
        )
        self._clocks(functions)
        self._failures(functions)
        self._backlog(functions, queues, dead)
        self._dashboard(functions, queues, dead)

    def _alarm(
        self,
        id: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        meaning: str,
        *,
        periods: int = 1,
        comparison: cloudwatch.ComparisonOperator = _AT_LEAST,
        silence_is_failure: bool = False,
    ) -> None:
        missing = cloudwatch.TreatMissingData
        alarm = cloudwatch.Alarm(
            self,
            id,
            metric=metric,
            threshold=threshold,
            evaluation_periods=periods,
            comparison_operator=comparison,
            alarm_description=meaning,
            treat_missing_data=missing.BREACHING if silence_is_failure else missing.NOT_BREACHING,
        )
        if self._topic is not None:
            alarm.add_alarm_action(actions.SnsAction(self._topic))
        self.alarms.append(alarm)

    def _clocks(self, functions: Mapping[str, lambda_.IFunction]) -> None:
        for name, loss in (("tick", "no new run is sent"), ("sweep", "no lost run is found")):
            self._alarm(
                f"{name.capitalize()}Missing",
                functions[name].metric_invocations(period=_MINUTE, statistic="Sum"),
                1,
                f"No {name} for three minutes, so {loss}. See its EveryMinute rule and the function's log.",
                periods=3,
                comparison=_LESS,
                silence_is_failure=True,
            )

    def _failures(self, functions: Mapping[str, lambda_.IFunction]) -> None:
        for name, function in functions.items():
            self._alarm(
                f"{name.capitalize()}Errors",
                function.metric_errors(period=_FIVE, statistic="Sum"),
                3,
                f"Three calls of {name} in five minutes ended in an error (failed runs are no errors). See its log.",
            )
            self._alarm(
                f"{name.capitalize()}Throttles",
                function.metric_throttles(period=_FIVE, statistic="Sum"),
                1,
                f"Calls of {name} were refused: the account's Lambda concurrency is used up. Runs start late.",
            )

    def _backlog(
        self,
        functions: Mapping[str, lambda_.IFunction],
        queues: Mapping[str, sqs.IQueue],
        dead: Mapping[str, sqs.IQueue],
    ) -> None:
        for name, queue in queues.items():
            self._alarm(
                f"{name}Age",
                queue.metric_approximate_age_of_oldest_message(period=_MINUTE, statistic="Maximum"),
                60,
                f"A due run has waited over a minute in the {name} queue. Raise execute.concurrency of the stage.",
                periods=3,
            )
        for name, queue in dead.items():
            self._alarm(
                f"{name}DeadNotEmpty",
                queue.metric_approximate_number_of_messages_visible(period=_MINUTE, statistic="Maximum"),
                1,
                f"{name}: messages were given up. Read one, mend the cause, then redrive the queue.",
            )
        self._alarm(
            "RelayBehind",
            functions["relay"].metric("IteratorAge", period=_MINUTE, statistic="Maximum"),
            60_000,
            "Events reach the bus over a minute late; runs themselves are not affected. See the relay's log.",
            periods=3,
        )

    def _dashboard(
        self,
        functions: Mapping[str, lambda_.IFunction],
        queues: Mapping[str, sqs.IQueue],
        dead: Mapping[str, sqs.IQueue],
    ) -> None:
        calls = [function.metric_invocations(period=_MINUTE) for function in functions.values()]
        errors = [function.metric_errors(period=_MINUTE) for function in functions.values()]
        times = [function.metric_duration(period=_MINUTE, statistic="p99") for function in functions.values()]
        ages = [queue.metric_approximate_age_of_oldest_message(period=_MINUTE) for queue in queues.values()]
        waiting = [
            queue.metric_approximate_number_of_messages_visible(period=_MINUTE) for queue in queues.values()
        ]
        given_up = [
            queue.metric_approximate_number_of_messages_visible(period=_MINUTE) for queue in dead.values()
        ]
        dashboard = cloudwatch.Dashboard(self, "Dashboard", default_interval=Duration.hours(3))
        alarms = cloudwatch.AlarmStatusWidget(alarms=list(self.alarms), title="Alarms", width=24, height=4)
        dashboard.add_widgets(alarms)
        dashboard.add_widgets(
            _graph("Seconds the oldest due run waits", ages),
            _graph("Runs waiting", waiting),
            _graph("Given up", given_up),
        )
        dashboard.add_widgets(
            _graph("Calls", calls), _graph("Errors", errors), _graph("Milliseconds, p99", times)
        )


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=metrics, width=8, height=6)
