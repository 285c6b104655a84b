# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

from ..http import Http, Options, field, path
from ..page import Page
from .models import *


class AuthSignUpBody(TypedDict):
    name: str
    email: str
    password: str
    # For browsers: the session comes in a cookie that no script can read, and not in the reply
    cookie: NotRequired[bool]
    # From browsers, where `GET /auth/captcha` gives a site key: what the widget gave the page
    captchaToken: NotRequired[str]


class AuthSignUpReply(TypedDict):
    owner: Owner
    # Session token, sent as Authorization: Bearer; null where it is in a cookie
    token: str | None
    expiresAt: str


class AuthSignInBody(TypedDict):
    email: str
    password: str
    # The six digits of the authenticator app, or a recovery code
    code: NotRequired[str]
    # For browsers: the session comes in a cookie that no script can read, and not in the reply
    cookie: NotRequired[bool]
    # From browsers, where `GET /auth/captcha` gives a site key: what the widget gave the page
    captchaToken: NotRequired[str]


class AuthSignInReply(TypedDict):
    owner: Owner
    # Session token, sent as Authorization: Bearer; null where it is in a cookie
    token: str | None
    expiresAt: str


class AuthSessionReply(TypedDict):
    owner: Owner
    expiresAt: str | None


class AuthCreateTokenBody(TypedDict):
    name: str


class AuthCreateTokenReply(TypedDict):
    id: str
    name: str
    tokenPrefix: str
    createdAt: str
    lastUsedAt: str | None
    token: str


class AuthListTokensQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class AuthCaptchaReply(TypedDict):
    provider: Literal["turnstile"] | None
    # Null where no browser is challenged
    siteKey: str | None


class AuthVerifyEmailBody(TypedDict):
    # From the mail
    token: str


class AuthForgotPasswordBody(TypedDict):
    email: str
    # From browsers, where `GET /auth/captcha` gives a site key: what the widget gave the page
    captchaToken: NotRequired[str]


class AuthResetPasswordBody(TypedDict):
    # From the mail
    token: str
    password: str
    # Also ends what the reply would list as `kept`
    endCredentials: NotRequired[bool]


class AuthResetPasswordReply(TypedDict):
    # What this reset has ended, the newest first
    ended: List[Credential]
    # What goes on
    kept: List[Credential]
    # Ends what was kept, by `POST /auth/password/reset/end-credentials`, once and within an hour
    endToken: str | None


class AuthEndCredentialsBody(TypedDict):
    # `endToken` of the reset
    token: str


class AuthChangePasswordBody(TypedDict):
    currentPassword: str
    newPassword: str


class AuthDeleteAccountBody(TypedDict):
    password: str
    # The six digits of the authenticator app, or a recovery code
    code: NotRequired[str]


class AuthCaughtMailReplyMailsItem(TypedDict):
    to: str
    subject: str
    text: str
    sentAt: str


class AuthCaughtMailReply(TypedDict):
    # False in production and where mail is sent; `mails` is empty then
    catching: bool
    mails: List[AuthCaughtMailReplyMailsItem]


class AuthListSessionsQuery(TypedDict):
    pageSize: NotRequired[int]
    cursor: NotRequired[str]


class AuthTotpReply(TypedDict):
    enabled: bool
    enabledAt: str | None
    recoveryCodesLeft: int


class AuthBeginTotpBody(TypedDict):
    password: str


class AuthBeginTotpReply(TypedDict):
    # In base32, for an app that cannot read the URI
    secret: str
    # otpauth://…, to be shown as a QR code
    uri: str


class AuthConfirmTotpBody(TypedDict):
    # The six digits of the authenticator app, or a recovery code
    code: str


class AuthConfirmTotpReply(TypedDict):
    # Each for one use. Only this reply ever contains them
    recoveryCodes: List[str]


class AuthRenewRecoveryCodesBody(TypedDict):
    password: str
    # The six digits of the authenticator app, or a recovery code
    code: str


class AuthRenewRecoveryCodesReply(TypedDict):
    # Each for one use. Only this reply ever contains them
    recoveryCodes: List[str]


class AuthDisableTotpBody(TypedDict):
    password: str
    # The six digits of the authenticator app, or a recovery code
    code: str


class AuthUpdateOwnerBody(TypedDict):
    plan: NotRequired[Literal["free", "pro", "enterprise"]]
    status: NotRequired[Literal["active", "suspended"]]
    # Takes the e-mail address for verified, for servers that send no mail
    emailVerified: NotRequired[Literal[True]]
    # For an owner who has lost the authenticator app and the recovery codes
    totp: NotRequired[Literal["off"]]
    # Why, for the owner and the audit trail
    reason: str
    # Who does it, for the audit trail
    by: NotRequired[str]


class AuthDistrict:
    """Operations of the district `auth`. A body or query is a dict with the API's names."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def sign_up(self, body: AuthSignUpBody, **options: Unpack[Options]) -> AuthSignUpReply:
        """Create an owner account.

        Open to anybody: 3 requests in 3600 s from one address.

        Raises BadRequestError (VALIDATION_ERROR, CAPTCHA_REQUIRED, CAPTCHA_FAILED);
        PermissionDeniedError (CROSS_SITE_REQUEST); ConflictError (DUPLICATE,
        IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/sign-up", "public", options, body=body)

    def sign_in(self, body: AuthSignInBody, **options: Unpack[Options]) -> AuthSignInReply:
        """Start a session.

        The session expires after seven days without use (SESSION_IDLE_MS); every use extends it. An
        account with a second factor also takes its code.

        Open to anybody: 30 requests in 900 s from one address.

        Raises BadRequestError (VALIDATION_ERROR, CAPTCHA_REQUIRED, CAPTCHA_FAILED);
        PermissionDeniedError (CROSS_SITE_REQUEST, OWNER_SUSPENDED); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/sign-in", "public", options, body=body)

    def session(self, **options: Unpack[Options]) -> AuthSessionReply:
        """The calling owner.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/auth/session", "owner", options)

    def sign_out(self, **options: Unpack[Options]) -> None:
        """End this session.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (WRONG_STATE, VALIDATION_ERROR); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/sign-out", "owner", options)

    def create_token(self, body: AuthCreateTokenBody, **options: Unpack[Options]) -> AuthCreateTokenReply:
        """Create a developer token; it is shown once.

        Needs a verified e-mail address, for the token outlasts the session.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (EMAIL_NOT_VERIFIED,
        TOKEN_LIMIT_REACHED, OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/tokens", "owner", options, body=body)

    def list_tokens(self, query: AuthListTokensQuery | None = None, **options: Unpack[Options]) -> Page[DeveloperToken]:
        """List developer tokens.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/auth/tokens", "owner", options, query=query)

    def revoke_token(self, token_id: str, **options: Unpack[Options]) -> None:
        """Revoke a developer token.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (TOKEN_NOT_FOUND); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", path("/api/v1/auth/tokens/{tokenId}", token_id), "owner", options)

    def captcha(self, **options: Unpack[Options]) -> AuthCaptchaReply:
        """What a page needs to show the challenge that signing up, signing in and forgotten
        passwords take.

        Open to anybody: 60 requests in 60 s from one address.

        Raises BadRequestError (VALIDATION_ERROR).
        """
        return self._http.json("GET", "/api/v1/auth/captcha", "public", options)

    def verify_email(self, body: AuthVerifyEmailBody, **options: Unpack[Options]) -> None:
        """Verify the e-mail address of an account by the token that was mailed to it.

        Open to anybody: 30 requests in 900 s from one address.

        Raises BadRequestError (VALIDATION_ERROR, MAILED_TOKEN_INVALID); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/verify-email", "public", options, body=body)

    def resend_verification(self, **options: Unpack[Options]) -> None:
        """Mail another token to verify the e-mail address; at most three an hour.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (WRONG_STATE, VALIDATION_ERROR); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/verify-email/resend", "owner", options)

    def forgot_password(self, body: AuthForgotPasswordBody, **options: Unpack[Options]) -> None:
        """Have a token mailed that resets the password.

        The reply is the same whether there is such an account or not. At most three mails an hour
        go to it.

        Open to anybody: 30 requests in 900 s from one address.

        Raises BadRequestError (VALIDATION_ERROR, CAPTCHA_REQUIRED, CAPTCHA_FAILED); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/password/forgot", "public", options, body=body)

    def reset_password(self, body: AuthResetPasswordBody, **options: Unpack[Options]) -> AuthResetPasswordReply:
        """Set a new password by the token that was mailed; ends all sessions.

        If nobody had verified the address before, whoever made the account may be somebody else:
        all credentials of before end, and the second factor. Otherwise they go on, unless
        `endCredentials` is true; the second factor stays in any case.

        Open to anybody: 30 requests in 900 s from one address.

        Raises BadRequestError (VALIDATION_ERROR, MAILED_TOKEN_INVALID); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/password/reset", "public", options, body=body)

    def end_credentials(self, body: AuthEndCredentialsBody, **options: Unpack[Options]) -> None:
        """End all credentials that a reset of the password has kept, by the token of its reply.

        Developer tokens, trust keys, webhooks, connections to forges and package registries,
        payment methods and the account for payouts are gone, and each agent needs a new key.

        Open to anybody: 30 requests in 900 s from one address.

        Raises BadRequestError (VALIDATION_ERROR, MAILED_TOKEN_INVALID); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/password/reset/end-credentials", "public", options, body=body)

    def change_password(self, body: AuthChangePasswordBody, **options: Unpack[Options]) -> None:
        """Change the password; ends all other sessions.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/password", "owner", options, body=body)

    def delete_account(self, body: AuthDeleteAccountBody, **options: Unpack[Options]) -> None:
        """Delete the account, for good.

        Needs a session, the password, and a code where the account has a second factor. While work
        or money is open it is refused: `details.obstacles` lists `{ kind, count, cents, message }`
        for each. Credits left in wallets that are too few to withdraw, below 100 cents together,
        are given up.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (ACCOUNT_NOT_EMPTY,
        IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/delete-account", "owner", options, body=body)

    def caught_mail(self, **options: Unpack[Options]) -> AuthCaughtMailReply:
        """In development: the newest mails to the own address, which were kept instead of sent.

        Needs a session, for mails carry tokens. At most 20, the newest first.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (WRONG_STATE, VALIDATION_ERROR); PermissionDeniedError
        (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/auth/caught-mail", "owner", options)

    def list_sessions(self, query: AuthListSessionsQuery | None = None, **options: Unpack[Options]) -> Page[Session]:
        """List own sessions.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.list("GET", "/api/v1/auth/sessions", "owner", options, query=query)

    def end_other_sessions(self, **options: Unpack[Options]) -> None:
        """End all sessions but the one of this request.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", "/api/v1/auth/sessions", "owner", options)

    def end_session(self, session_id: str, **options: Unpack[Options]) -> None:
        """End one session.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED,
        CROSS_SITE_REQUEST); NotFoundError (SESSION_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("DELETE", path("/api/v1/auth/sessions/{sessionId}", session_id), "owner", options)

    def totp(self, **options: Unpack[Options]) -> AuthTotpReply:
        """Whether signing in takes a code of an authenticator app, and how many recovery codes are
        left.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); PermissionDeniedError (OWNER_SUSPENDED).
        """
        return self._http.json("GET", "/api/v1/auth/totp", "owner", options)

    def begin_totp(self, body: AuthBeginTotpBody, **options: Unpack[Options]) -> AuthBeginTotpReply:
        """Make the secret of an authenticator app; it counts once a code confirms it, within ten
        minutes.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/totp", "owner", options, body=body)

    def confirm_totp(self, body: AuthConfirmTotpBody, **options: Unpack[Options]) -> AuthConfirmTotpReply:
        """Turn the second factor on by a code of the app; gives ten recovery codes.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/totp/confirm", "owner", options, body=body)

    def renew_recovery_codes(self, body: AuthRenewRecoveryCodesBody, **options: Unpack[Options]) -> AuthRenewRecoveryCodesReply:
        """Make ten new recovery codes; those before are void.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/totp/recovery-codes", "owner", options, body=body)

    def disable_totp(self, body: AuthDisableTotpBody, **options: Unpack[Options]) -> None:
        """Turn the second factor off.

        Open to an owner: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR, WRONG_STATE); PermissionDeniedError
        (OWNER_SUSPENDED, CROSS_SITE_REQUEST); ConflictError (IDEMPOTENCY_KEY_REUSED,
        REPLY_UNAVAILABLE).
        """
        return self._http.json("POST", "/api/v1/auth/totp/disable", "owner", options, body=body)

    def update_owner(self, owner_id: str, body: AuthUpdateOwnerBody, **options: Unpack[Options]) -> Owner:
        """Change an owner's plan, suspend or reinstate the account, take its address for verified,
        or turn its second factor off.

        A suspended owner and its agents are refused from the next request on, and these agents
        cannot be hired. Open tasks end by their deadlines.

        Open to the operator: 100 requests in 60 s.

        Raises BadRequestError (VALIDATION_ERROR); NotFoundError (OWNER_NOT_FOUND); ConflictError
        (IDEMPOTENCY_KEY_REUSED, REPLY_UNAVAILABLE).
        """
        return self._http.json("PATCH", path("/api/v1/owners/{ownerId}", owner_id), "operator", options, body=body)
