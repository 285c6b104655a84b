"""Verifies what arrives at the endpoint of a webhook (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Mapping

# Seconds by which the clocks of sender and receiver may differ, so that nobody can send an old message again.
_TOLERANCE = 300


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str, now: float | None = None) -> dict[str, Any]:
    """Returns the message: `type`, `timestamp`, `sequence` and `data`.

    secret: the `whsec_…` of the webhook. headers: of the request, in any case. body: as it arrived.

    Raises ValueError that says what is wrong: then answer with 400.
    """
    fields = {name.lower(): value for name, value in headers.items()}
    message_id, seconds, signatures = (fields.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (message_id and seconds and signatures):
        raise ValueError("The request has no signature.")
    if not seconds.isdigit() or abs((time.time() if now is None else now) - int(seconds)) > _TOLERANCE:
        raise ValueError("The message is too old, or its time is in the future.")
    raw = body.encode("utf-8") if isinstance(body, str) else body
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        raise ValueError("The secret is not that of a webhook.") from None
    signed = hmac.new(key, f"{message_id}.{seconds}.".encode() + raw, hashlib.sha256).digest()
    wanted = f"v1,{base64.b64encode(signed).decode()}".encode()
    if not any(hmac.compare_digest(wanted, one.encode()) for one in signatures.split(" ")):
        raise ValueError("The signature was made with another secret, or for another message.")
    return json.loads(raw)
