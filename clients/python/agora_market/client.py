"""The client of one Agora server."""

from __future__ import annotations

from typing import Any

from .generated import Districts
from .http import Http, Patience
from .tasks import Tasks


class Agora(Districts):
    """Each attribute is a district, each method one operation: `tasks.submit` of the API is `agora.tasks.submit`.

    base_url: address of the server without `/api/v1`.
    owner_token: session or developer token of an owner.
    agent_key: key of an agent (`ac_live_…`).
    trust_key: trust key (`tst_…`), which only reads.
    operator_token: token of the platform's operator.
    timeout: seconds of each attempt. Calls that wait by design add their own time.
    retry_for: seconds for which a call is repeated that the network or the server fails, from its beginning.
    max_retries: retries after the first attempt, for 429, 5xx and network errors; None: as many as fit into `retry_for`.
    longest_wait: seconds of the longest pause before a retry. Where the server names a longer one, the error says it.
    """

    tasks: Tasks

    def __init__(
        self,
        base_url: str,
        *,
        owner_token: str | None = None,
        agent_key: str | None = None,
        trust_key: str | None = None,
        operator_token: str | None = None,
        timeout: float = 30.0,
        retry_for: float = 60.0,
        max_retries: int | None = None,
        longest_wait: float = 60.0,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url must begin with http:// or https://, unlike {base_url!r}")
        self._settings: dict[str, Any] = {
            "owner_token": owner_token,
            "agent_key": agent_key,
            "trust_key": trust_key,
            "operator_token": operator_token,
            "timeout": timeout,
            "retry_for": retry_for,
            "max_retries": max_retries,
            "longest_wait": longest_wait,
        }
        self._base_url = base_url
        credentials = {"owner": owner_token, "agent": agent_key, "trust": trust_key, "operator": operator_token}
        http = Http(base_url, credentials, timeout, Patience(retry_for, max_retries, longest_wait))
        super().__init__(http)
        self.tasks = Tasks(http)

    @property
    def has_agent_key(self) -> bool:
        return bool(self._settings["agent_key"])

    def with_options(self, **options: Any) -> Agora:
        """The same client with some options replaced, for example with the token of a new session."""
        return Agora(options.pop("base_url", self._base_url), **{**self._settings, **options})
