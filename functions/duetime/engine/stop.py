"""Telling running work to stop: one token a run, and a host-wide stop that flips them all."""

from __future__ import annotations

import threading


class RunToken:
    """The cancel token of one run: flips once and stays so."""

    def __init__(self) -> None:
        self._event = threading.Event()

    @property
    def canceled(self) -> bool:
        """Whether the run should stop now."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait until told to stop, at most `seconds`; answers `canceled`."""
        return self._event.wait(seconds)

    def cancel(self) -> None:
        """Tell the run to stop."""
        self._event.set()


class Stop:
    """A host that stops: `begin` refuses new work, `cancel_running` flips the tokens of what still runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: set[RunToken] = set()
        self._stopping = False
        self.canceled = False

    @property
    def stopping(self) -> bool:
        """Whether no new run may begin here."""
        return self._stopping

    def begin(self) -> None:
        """Start no new runs from now on."""
        self._stopping = True

    def cancel_running(self) -> int:
        """Flip the token of every run in progress; answers how many there were."""
        with self._lock:
            self._stopping = self.canceled = True
            tokens = tuple(self._tokens)
        for token in tokens:
            token.cancel()
        return len(tokens)

    def token(self) -> RunToken:
        """Return a new token that a stop of this host flips."""
        token = RunToken()
        with self._lock:
            self._tokens.add(token)
            if self.canceled:
                token.cancel()
        return token

    def done(self, token: RunToken) -> None:
        """Forget the token of a run that has ended."""
        with self._lock:
            self._tokens.discard(token)
