"""The client's contract against a server that answers as the test says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
import unittest
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

import agora_market
from agora_market import Agora

Answer = Callable[["Handler", int], None]
SUBMISSION: Any = {"taskType": "bug_fix", "maxBudget": 500, "input": {}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_call(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append({"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body})  # type: ignore[attr-defined]
        self.server.answer(self, len(self.server.seen))  # type: ignore[attr-defined]

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_call

    def reply(self, status: int, body: Any = None, **headers: str) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status: int, code: str = "SOME_CODE", **headers: str) -> None:
        self.reply(status, {"success": False, "error": {"code": code, "message": "no", "details": {"a": 1}}}, **headers)

    def cut(self) -> None:
        self.close_connection = True
        self.connection.close()

    def events(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


class Contract(unittest.TestCase):
    def serve(self, answer: Answer, **options: Any) -> Agora:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.seen, server.answer = [], answer  # type: ignore[attr-defined]
        self.seen: list[Any] = server.seen  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return Agora(f"http://127.0.0.1:{server.server_port}", **{"owner_token": "tok", **options})

    def keys(self) -> set[str]:
        return {one["headers"].get("Idempotency-Key") for one in self.seen}

    def test_each_status_has_its_class_and_is_not_retried(self) -> None:
        classes = {
            400: "BadRequestError",
            401: "AuthenticationError",
            402: "PaymentRequiredError",
            403: "PermissionDeniedError",
            404: "NotFoundError",
            409: "ConflictError",
            410: "GoneError",
            413: "PayloadTooLargeError",
            415: "AgoraError",
        }
        for status, name in classes.items():
            agora = self.serve(lambda one, _: one.refuse(status, X_Correlation_Id="cor-1", Retry_After="0"))
            with self.assertRaises(agora_market.AgoraError) as caught:
                agora.tasks.submit(SUBMISSION)
            error = caught.exception
            self.assertEqual(type(error).__name__, name)
            self.assertEqual((error.status, error.code, error.details, error.correlation_id), (status, "SOME_CODE", {"a": 1}, "cor-1"))
            self.assertEqual(len(self.seen), 1)

    def test_repeats_5xx_and_429_with_one_key(self) -> None:
        for status in (500, 502, 503, 429):
            agora = self.serve(lambda one, count: one.refuse(status, Retry_After="0") if count < 3 else one.reply(201, {"id": "t"}))
            self.assertEqual(agora.tasks.submit(SUBMISSION), {"id": "t"})
            self.assertEqual(len(self.seen), 3)
            self.assertEqual(len(self.keys()), 1)
            self.assertEqual([json.loads(one["body"]) for one in self.seen], [SUBMISSION] * 3)

    def test_two_calls_have_two_keys_and_reading_has_none(self) -> None:
        agora = self.serve(lambda one, _: one.reply(200, {}))
        agora.tasks.submit(SUBMISSION)
        agora.tasks.submit(SUBMISSION)
        self.assertEqual(len(self.keys()), 2)
        agora.tasks.submit(SUBMISSION, idempotency_key="order-17")
        self.assertEqual(self.seen[-1]["headers"]["Idempotency-Key"], "order-17")
        agora.vault.get_pool()
        self.assertNotIn("Idempotency-Key", self.seen[-1]["headers"])

    def test_waits_for_retry_after_in_seconds_and_as_a_date(self) -> None:
        for value_of in (lambda: "1", lambda: formatdate(time.time() + 2, usegmt=True)):
            value = value_of()
            agora = self.serve(lambda one, count: one.refuse(429, Retry_After=value) if count == 1 else one.reply(200, {}))
            begun = time.monotonic()
            agora.system.health()
            self.assertGreaterEqual(time.monotonic() - begun, 0.9)

    def test_leaves_a_long_retry_after_to_the_caller(self) -> None:
        agora = self.serve(lambda one, _: one.refuse(429, Retry_After="3600"))
        with self.assertRaises(agora_market.RateLimitError) as caught:
            agora.system.health()
        self.assertEqual(caught.exception.retry_after, 3600)
        self.assertEqual(len(self.seen), 1)

    def test_repeats_a_cut_connection_in_the_middle_of_a_body_too(self) -> None:
        def answer(one: Handler, count: int) -> None:
            if count == 1:
                one.cut()
            elif count == 2:
                one.send_response(200)
                one.send_header("Content-Length", "100")
                one.end_headers()
                one.wfile.write(b'{"half":')
                one.close_connection = True
            else:
                one.reply(200, {"whole": True})

        agora = self.serve(answer)
        self.assertEqual(agora.tasks.submit(SUBMISSION), {"whole": True})
        self.assertEqual(len(self.keys()), 1)

    def test_gives_up_after_two_retries_of_what_the_server_itself_fails(self) -> None:
        agora = self.serve(lambda one, _: one.refuse(503))
        with self.assertRaises(agora_market.ServerError):
            agora.system.health()
        self.assertEqual(len(self.seen), 3)

    def test_outlasts_a_server_that_starts(self) -> None:
        agora = self.serve(
            lambda one, count: one.refuse(503, Retry_After="0") if count <= 3 else one.reply(200, {"id": "t1"})
        )
        self.assertEqual(agora.tasks.submit(SUBMISSION), {"id": "t1"})
        self.assertEqual(len(self.seen), 4)
        self.assertEqual(len({one["headers"]["Idempotency-Key"] for one in self.seen}), 1)
        with self.assertRaises(agora_market.ServerError):
            self.serve(lambda one, _: one.refuse(503, Retry_After="0"), retry_for=0.0).system.health()
        self.assertEqual(len(self.seen), 1)

    def test_retries_of_the_caller_count_what_the_server_fails(self) -> None:
        agora = self.serve(lambda one, count: one.refuse(500) if count <= 3 else one.reply(200, {"id": "t1"}))
        self.assertEqual(agora.tasks.submit(SUBMISSION, max_retries=3), {"id": "t1"})
        self.assertEqual(len(self.seen), 4)

    def test_a_worker_tells_of_an_outage_after_few_retries_and_stops(self) -> None:
        stop = threading.Event()
        errors: list[Exception] = []

        def note(error: Exception, _: Any) -> None:
            errors.append(error)
            stop.set()

        def answer(one: Handler, _: int) -> None:
            if one.path.startswith("/api/v1/tasks/assigned"):
                one.refuse(503, "NOT_READY", Retry_After="0")
            else:
                one.reply(200, {"availability": "available"})

        agora = self.serve(answer, agent_key="ac_live_x")
        agora_market.run_worker(agora, lambda _: {}, wait_seconds=0, stop=stop, on_error=note)
        self.assertEqual([error.code for error in errors if isinstance(error, agora_market.AgoraError)], ["NOT_READY"])
        self.assertEqual(len([one for one in self.seen if "assigned" in one["path"]]), 3)

    def test_a_worker_declines_buyers_beyond_its_limits(self) -> None:
        stop = threading.Event()
        record = {"tasks": 10, "passRate": 0.4, "refundRate": 0.2, "verifiedPayment": False}
        tasks = [{"id": "t1", "buyer": record}]

        def answer(one: Handler, _: int) -> None:
            if one.path.startswith("/api/v1/tasks/assigned"):
                one.reply(200, {"data": tasks, "pagination": {"pageSize": 20, "nextCursor": None}})
            elif one.path.endswith("/decline"):
                stop.set()
                one.reply(200, {"id": "t1"})
            else:
                one.reply(200, {"availability": "available"})

        cases = [
            ({"minTasks": 11}, "The buyer has had 10 tasks; the least is 11"),
            ({"minPassRate": 0.5}, "40% of the buyer's deliveries passed; the least is 50%"),
            ({"maxRefundRate": 0.1}, "The buyer had 20% refunded; the most is 10%"),
            ({"verifiedPayment": True}, "The buyer has no verified payment"),
        ]
        for limits, reason in cases:
            with self.subTest(reason):
                stop.clear()
                agora = self.serve(answer, agent_key="ac_live_x")
                agora_market.run_worker(agora, lambda _: {}, wait_seconds=0, stop=stop, buyers=limits)  # type: ignore[arg-type]
                declined = [json.loads(one["body"]) for one in self.seen if one["path"].endswith("/decline")]
                self.assertEqual(declined, [{"reason": reason}])

    def test_a_silent_server_is_a_timeout(self) -> None:
        agora = self.serve(lambda one, _: time.sleep(1), timeout=0.1, max_retries=0)
        with self.assertRaises(agora_market.AgoraTimeoutError):
            agora.system.health()

    def test_does_not_follow_a_redirect(self) -> None:
        agora = self.serve(lambda one, _: one.reply(307, None, Location="/elsewhere"), agent_key="ac_live_x")
        with self.assertRaises(agora_market.AgoraError) as caught:
            agora.agents.me()
        self.assertEqual((caught.exception.status, len(self.seen)), (307, 1))

    def test_iterates_over_all_pages(self) -> None:
        def answer(one: Handler, _: int) -> None:
            second = "cursor=c1" in one.path
            one.reply(200, {"data": [3] if second else [1, 2], "pagination": {"pageSize": 2, "nextCursor": None if second else "c1"}})

        agora = self.serve(answer)
        self.assertEqual(list(agora.tasks.list({"status": "failed"})), [1, 2, 3])
        self.assertEqual([one["path"] for one in self.seen], ["/api/v1/tasks?status=failed", "/api/v1/tasks?status=failed&cursor=c1"])

    def test_refuses_an_id_that_names_another_endpoint(self) -> None:
        agora = self.serve(lambda one, _: one.reply(200, {}))
        for wrong in ("", ".", ".."):
            with self.assertRaises(ValueError):
                agora.agents.get(wrong)
        agora.agents.get("a/b ?")
        self.assertEqual(self.seen[-1]["path"], "/api/v1/agents/a%2Fb%20%3F")

    def test_a_stream_goes_on_after_the_last_event(self) -> None:
        def answer(one: Handler, count: int) -> None:
            if count == 1:
                one.events('retry: 1\n\nid: 1\nevent: status\ndata: {"status":"routing"}\n\nid: 2\nevent: compl')
            elif count == 2:
                one.refuse(503, Retry_After="0")
            else:
                one.events('id: 2\nevent: complete\ndata: {"output": null,\ndata: "qualityScore": 80}\n\n')

        agora = self.serve(answer)
        self.assertEqual(
            list(agora.tasks.stream("tsk_1")),
            [
                {"event": "status", "id": "1", "data": {"status": "routing"}},
                {"event": "complete", "id": "2", "data": {"output": None, "qualityScore": 80}},
            ],
        )
        self.assertEqual([one["headers"].get("Last-Event-Id") or one["headers"].get("Last-event-id") for one in self.seen], [None, "1", "1"])

    def test_waiting_looks_at_the_task_where_there_is_no_stream(self) -> None:
        # As a proxy that knows no streams would answer.
        def answer(one: Handler, count: int) -> None:
            ended = {"id": "tsk_1", "status": "executing" if count < 3 else "failed"}
            one.reply(200, "<html>" if "stream" in one.path else ended)

        agora = self.serve(answer)
        self.assertEqual(agora.tasks.wait("tsk_1")["status"], "failed")

    def test_waiting_that_ends_early_names_the_task(self) -> None:
        def answer(one: Handler, _: int) -> None:
            if "cancel" in one.path:
                one.reply(200, {"id": "tsk_1", "status": "failed"})
            elif "stream" in one.path:
                one.events('id: 1\nevent: status\ndata: {"status":"executing"}\n\n')
            else:
                one.reply(201, {"id": "tsk_1", "status": "routing", "group": None})

        agora = self.serve(answer)
        with self.assertRaises(agora_market.WaitEndedError) as caught:
            agora.tasks.submit_and_wait(SUBMISSION, wait=0.3)
        self.assertEqual((caught.exception.task_id, caught.exception.cancelled), ("tsk_1", False))
        stop = threading.Event()
        with self.assertRaises(agora_market.WaitEndedError) as caught:
            agora.tasks.submit_and_wait(SUBMISSION, stop=stop, cancel=True, on_event=lambda _: stop.set())
        self.assertTrue(caught.exception.cancelled)

    def test_an_approval_is_an_error_of_its_own(self) -> None:
        agora = self.serve(lambda one, _: one.reply(202, {"approval": {"id": "apr_1"}}), owner_token=None, agent_key="ac_live_x")
        with self.assertRaises(agora_market.ApprovalRequiredError) as caught:
            agora.tasks.submit_and_wait(SUBMISSION)
        self.assertEqual(caught.exception.approval, {"id": "apr_1"})
        self.assertEqual(self.seen[0]["path"], "/api/v1/tasks/agent")

    def test_verifies_a_webhook(self) -> None:
        key = base64.b64encode(b"secret").decode()
        body = b'{"type":"test"}'
        signature = base64.b64encode(hmac.new(b"secret", b"msg_1.1000." + body, hashlib.sha256).digest()).decode()
        headers = {"Webhook-Id": "msg_1", "Webhook-Timestamp": "1000", "Webhook-Signature": f"v1,AAAA v1,{signature}"}
        self.assertEqual(agora_market.verify_webhook(f"whsec_{key}", headers, body, now=1000), {"type": "test"})
        for changed, now in (({**headers, "Webhook-Id": "msg_2"}, 1000), (headers, 2000), ({}, 1000)):
            with self.assertRaises(ValueError):
                agora_market.verify_webhook(f"whsec_{key}", changed, body, now=now)


if __name__ == "__main__":
    unittest.main()
