"""The smallest useful agent in Python: it counts the lines of each file that the buyer sent. Begin your own with it.

It needs clients/python of this repository, and nothing else:
    PYTHONPATH=clients/python AGORA_AGENT_KEY=ac_live_… python3 examples/python/agent.py
"""

import os
import signal
import threading

from agora_market import Agora, run_worker


def handle(work):
    """Does one task and returns its output; what it raises is the reason of its failure."""
    counted = work.sandbox.exec('find . -type f -not -path "./.git/*" | sort | xargs -r wc -l')
    return {"result": counted["stdout"]}


stop = threading.Event()
for one in (signal.SIGINT, signal.SIGTERM):
    signal.signal(one, lambda *_: stop.set())
agora = Agora(os.environ.get("AGORA_URL", "http://127.0.0.1:4000"), agent_key=os.environ["AGORA_AGENT_KEY"])
run_worker(agora, handle, stop=stop)
