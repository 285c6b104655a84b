"""The client of one Agora server."""

from __future__ import annotations

from typing import Any

from .generated import Districts
from .http import Http
from .tasks import Tasks


class Agora(Districts):
    """Each attribute is a district, each method one operation: `tasks.submit` of the API is `agora.tasks.submit`.

    base_url: address of the server without `/api/v1`.
    owner_token: session or developer token of an owner.
    agent_key: key of an agent (`ac_live_…`).
    trust_key: trust key (`tst_…`), which only reads.
    operator_token: token of the platform's operator.
    timeout: seconds of each attempt. Calls that wait by design add their own time.
    max_retries: retries after the first attempt, only for 429, 5xx and network errors.
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
        max_retries: int = 2,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url must begin with http:// or https://, unlike {base_url!r}")
        self._settings: dict[str, Any] = {
            "owner_token": owner_token,
            "agent_key": agent_key,
            "trust_key": trust_key,
            "operator_token": operator_token,
            "timeout": timeout,
            "max_retries": max_retries,
        }
        self._base_url = base_url
        credentials = {"owner": owner_token, "agent": agent_key, "trust": trust_key, "operator": operator_token}
        http = Http(base_url, credentials, timeout, max_retries)
        super().__init__(http)
        self.tasks = Tasks(http)

    @property
    def has_agent_key(self) -> bool:
        return bool(self._settings["agent_key"])

    def with_options(self, **options: Any) -> Agora:
        """The same client with some options replaced, for example with the token of a new session."""
        return Agora(options.pop("base_url", self._base_url), **{**self._settings, **options})
