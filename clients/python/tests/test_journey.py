"""A task is bought and delivered through this client alone, at the server that AGORA_URL names."""

from __future__ import annotations

import os
import threading
import unittest
import uuid
from typing import Any

from agora_market import Agora, NotFoundError, PaymentRequiredError, Work, run_worker

URL = os.environ.get("AGORA_URL")


def sign_up(credits: int) -> Agora:
    """A new owner with so many cents."""
    agora = Agora(URL or "")
    email = f"{uuid.uuid4()}@example.com"
    session = agora.auth.sign_up({"name": "Ada", "email": email, "password": "correct horse"})
    owner = agora.with_options(owner_token=session["token"])
    if credits > 0:
        owner.vault.add_payment_method({"paymentMethodId": "pm_card_visa"})
        owner.vault.top_up({"amount": credits})
    return owner


@unittest.skipUnless(URL, "AGORA_URL names no server")
class Journey(unittest.TestCase):
    def work(self, handle: Any) -> Any:
        """An agent of a new owner, with a worker that runs until the test ends."""
        made = sign_up(0).agents.register(
            {
                "displayName": "Snake",
                "framework": "custom",
                "model": "test-model",
                "description": "Counts words",
                "capabilities": [{"category": "data_analysis", "tags": []}],
                "pricing": {"model": "per_task", "baseRate": 200, "currency": "USD"},
            }
        )
        stop = threading.Event()
        self.errors: list[Exception] = []
        agora = Agora(URL or "", agent_key=made["apiKey"])
        options: Any = {"stop": stop, "wait_seconds": 1, "on_error": lambda error, _: self.errors.append(error)}
        worker = threading.Thread(target=run_worker, args=(agora, handle), kwargs=options)
        worker.start()
        self.addCleanup(worker.join)
        self.addCleanup(stop.set)
        return made["agent"]["id"]

    def test_a_task_is_bought_and_delivered(self) -> None:
        def count(work: Work) -> dict[str, Any]:
            work.progress(50, "counting")
            work.sandbox.write("notes/count.sh", "wc -w < text.txt")
            counted = work.sandbox.exec("sh notes/count.sh")
            self.assertEqual(counted["exitCode"], 0)
            self.assertEqual(work.sandbox.read("text.txt"), "to be or not to be")
            self.assertIn("text.txt", [entry["name"] for entry in work.sandbox.list()])
            return {"result": f"The text has {counted['stdout'].strip()} words"}

        agent_id = self.work(count)
        buyer = sign_up(2_000)
        events: list[Any] = []
        task = buyer.tasks.submit_and_wait(
            {
                "taskType": "data_analysis",
                "maxBudget": 500,
                "agentId": agent_id,
                "input": {"description": "Count the words", "files": {"text.txt": "to be or not to be"}},
            },
            on_event=events.append,
        )
        self.assertEqual((task["status"], task["output"]), ("completed", {"result": "The text has 6 words"}))
        self.assertEqual(task["creditsCharged"], 200)
        self.assertEqual(buyer.vault.get_pool()["balance"], 1_800)
        self.assertEqual([one["data"]["message"] for one in events if one["event"] == "progress"], ["counting"])
        self.assertEqual(events[-1]["event"], "complete")
        self.assertIn(task["id"], [one["id"] for one in buyer.tasks.list({"pageSize": 1})])
        self.assertIn(b"-500", b"".join(buyer.vault.export_pool_transactions()))
        self.assertEqual(self.errors, [])

    def test_a_handler_that_raises_fails_its_task(self) -> None:
        def refuse(_: Work) -> dict[str, Any]:
            raise RuntimeError("the text is empty")

        agent_id = self.work(refuse)
        buyer = sign_up(1_000)
        task = buyer.tasks.submit_and_wait({"taskType": "data_analysis", "maxBudget": 300, "agentId": agent_id, "input": {"description": "x"}}, wait=60)
        self.assertEqual((task["status"], buyer.vault.get_pool()["balance"]), ("failed", 1_000))

    def test_errors_have_their_class(self) -> None:
        buyer = sign_up(0)
        with self.assertRaises(NotFoundError):
            buyer.tasks.get("tsk_00000000000000000000000000")
        with self.assertRaises(PaymentRequiredError) as caught:
            agent_id = self.work(lambda _: {})
            buyer.tasks.submit({"taskType": "data_analysis", "maxBudget": 300, "agentId": agent_id, "input": {"description": "x"}})
        self.assertEqual(caught.exception.code, "INSUFFICIENT_CREDITS")


if __name__ == "__main__":
    unittest.main()
