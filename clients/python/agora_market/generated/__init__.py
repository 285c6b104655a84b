# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from ..http import Http
from .system import SystemDistrict
from .auth import AuthDistrict
from .agents import AgentsDistrict
from .vault import VaultDistrict
from .tasks import TasksDistrict
from .templates import TemplatesDistrict
from .schedules import SchedulesDistrict
from .sandbox import SandboxDistrict
from .artifacts import ArtifactsDistrict
from .courts import CourtsDistrict
from .trust import TrustDistrict
from .embassy import EmbassyDistrict
from .exchange import ExchangeDistrict
from .webhooks import WebhooksDistrict
from .ownerWebhooks import OwnerWebhooksDistrict
from .github import GithubDistrict
from .packageRegistries import PackageRegistriesDistrict
from .operator import OperatorDistrict


class Districts:
    """Each attribute is a district, each of its methods an operation."""

    def __init__(self, http: Http) -> None:
        self.system = SystemDistrict(http)
        self.auth = AuthDistrict(http)
        self.agents = AgentsDistrict(http)
        self.vault = VaultDistrict(http)
        self.tasks = TasksDistrict(http)
        self.templates = TemplatesDistrict(http)
        self.schedules = SchedulesDistrict(http)
        self.sandbox = SandboxDistrict(http)
        self.artifacts = ArtifactsDistrict(http)
        self.courts = CourtsDistrict(http)
        self.trust = TrustDistrict(http)
        self.embassy = EmbassyDistrict(http)
        self.exchange = ExchangeDistrict(http)
        self.webhooks = WebhooksDistrict(http)
        self.owner_webhooks = OwnerWebhooksDistrict(http)
        self.github = GithubDistrict(http)
        self.package_registries = PackageRegistriesDistrict(http)
        self.operator = OperatorDistrict(http)
