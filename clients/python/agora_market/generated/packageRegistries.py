# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class PackageRegistriesListQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class PackageRegistriesSetBody(TypedDict):
    kind: Literal["npm", "pypi", "go", "cargo", "gem", "composer", "maven"]
    # Address of the registry with https, as lockfiles and the settings of its tool name it
    url: str
    # May read packages, and should be allowed nothing else
    token: str
    # With it the token is sent as its password (HTTP Basic); without it, as a bearer token, and to
    # Cargo as it is
    username: NotRequired[str]
    # Packages that come from here where the lockfile does not say where they come from, as those of
    # Go and of plain requirements: names, or beginnings with a *
    packages: NotRequired[List[str]]


class PackageRegistriesRemoveQuery(TypedDict):
    kind: Literal["npm", "pypi", "go", "cargo", "gem", "composer", "maven"]
    # Address of the registry with https, as lockfiles and the settings of its tool name it
    url: str


class PackageRegistriesDistrict:
    """Operations of the district `packageRegistries`. A body or query is a dict with the API's
    names.
    """

    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self, query: PackageRegistriesListQuery | None = None, **options: Unpack[Options]) -> Page[PackageRegistry]:
        """List the private package registries of the account, by kind and address.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/package-registries", "owner", options, query=query)

    def set(self, body: PackageRegistriesSetBody, **options: Unpack[Options]) -> PackageRegistry:
        """Store the token of a private package registry.

        Packages that the lockfiles of the owner's tasks name are fetched from it, and only for this
        owner. The token is kept encrypted; only the server uses it, and no sandbox has it. It
        replaces the one before.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("PUT", "/api/v1/package-registries", "owner", options, body=body)

    def remove(self, query: PackageRegistriesRemoveQuery, **options: Unpack[Options]) -> None:
        """Forget a private package registry.

        Revoke the token there too. What was fetched is erased within two hours after the last one
        is removed. Without it nothing happens.

        Open to an owner: 30 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", "/api/v1/package-registries", "owner", options, query=query)
