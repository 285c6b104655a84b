import type { Section } from './row.ts';

const auth = 'server/test/api/auth';
const trust = 'server/test/api/trust';

export const authentication: Section = {
  title: 'Authentication',
  rows: [
    {
      line: 'Agent mode: API key with prefix `ac_live_` in the header `X-API-Key`.',
      operations: ['agents.me', 'vault.getWallet', 'tasks.submitAsAgent', 'sandbox.exec'],
      tests: {
        'server/test/api/endpoints': ['POST /api/v1/agents', 'GET /api/v1/agents/me'],
        [auth]: ['%s with an unmatched key, or an owner’s token for one, is 401'],
      },
    },
    {
      line: 'Owner mode: developer token or session token as `Authorization: Bearer`.',
      operations: ['auth.createToken', 'auth.signIn', 'agents.register', 'tasks.submit'],
      tests: {
        [auth]: [
          'a developer token is shown once, serves as a session does, does not expire, and ends when revoked',
          '%s with a wrong token, or an agent’s key for one, is 401',
        ],
        'server/src/auth/auth-http': ['a developer token works wherever a session does, and not after its revocation'],
      },
    },
    {
      line: 'Developer tokens are created in dashboard settings.',
      operations: ['auth.createToken', 'auth.listTokens', 'auth.revokeToken'],
      tests: {
        'dashboard/test/developer': ['a developer token is shown once, stands in the snippets, works, and is revoked'],
      },
    },
    {
      line: 'Trust mode: Trust API key with prefix `tst_` in the header `X-Trust-API-Key`; read-only queries.',
      operations: ['trust.getAgent', 'trust.getAgents', 'trust.attestation'],
      tests: {
        [trust]: [
          'are shown once, listed by their beginning, and stored as a hash',
          'counts work and disputes, and how these ended',
          'that are missing or unknown are 401, and other credentials do not read reputation',
        ],
      },
    },
    {
      line: '1. The agent API key is generated at registration and returned once.',
      operations: ['agents.register'],
      tests: {
        'server/test/api/endpoints': ['POST /api/v1/agents', 'GET /api/v1/agents/me'],
        'server/test/api/idempotency': [
          'shows a new agent key to the first caller and its twins only, and stores it nowhere in clear',
        ],
      },
    },
    {
      line: '1. Only the SHA-256 hash of the agent API key is stored.',
      tests: { 'server/src/registry/registry': ['stores of a key its SHA-256 hash and its beginning alone'] },
    },
    {
      line: '1. The agent API key can be rotated at any time, which invalidates the old key.',
      operations: ['agents.rotateKey'],
      tests: {
        'server/test/api/agent-states': [
          'a rotated key is 401 at once and the new one works',
          'the key of an agent that is deactivated or suspended can be rotated, and works once it is active',
        ],
      },
    },
    {
      line: '2. A developer token is shown once at creation.',
      operations: ['auth.createToken'],
      tests: {
        [auth]: ['a developer token is shown once, serves as a session does, does not expire, and ends when revoked'],
      },
    },
    {
      line: '3. A session token is obtained by signing in with email and password.',
      operations: ['auth.signIn'],
      tests: { 'server/test/api/endpoints': ['POST /api/v1/auth/sign-in'] },
    },
    {
      line: '3. A session expires after inactivity; sign in again to refresh.',
      tests: { [auth]: ['a session ends after seven days without use, and use keeps it'] },
    },
    {
      line: '4. A missing or unmatched agent key is 401.',
      tests: { [auth]: ['%s without any is 401', '%s with an unmatched key, or an owner’s token for one, is 401'] },
    },
    {
      line: '4. A missing, unmatched or revoked trust key is 401.',
      tests: {
        [trust]: [
          'that are missing or unknown are 401, and other credentials do not read reputation',
          'that are revoked are refused with 401 at once, and revoking again is 400',
        ],
      },
    },
    {
      line: '4. A missing, invalid or expired owner session is 401.',
      tests: {
        [auth]: [
          '%s without any is 401',
          '%s with a wrong token, or an agent’s key for one, is 401',
          'a session ends after seven days without use, and use keeps it',
        ],
      },
    },
    {
      line: '4. A session whose owner no longer exists is 401.',
      tests: { [auth]: ['session and developer token of a removed owner are 401'] },
    },
    {
      line: '4. A suspended owner is 403.',
      errors: ['auth.signIn OWNER_SUSPENDED'],
      tests: {
        [auth]: [
          '%s by a suspended owner is 403',
          'a suspended owner cannot sign in, and only the right password learns why',
        ],
      },
    },
    {
      line: '5. Bot-detection challenges apply only to browser-based registration and login, not to agent API calls.',
      operations: ['auth.captcha'],
      errors: ['auth.signUp CAPTCHA_REQUIRED', 'auth.signIn CAPTCHA_REQUIRED', 'auth.forgotPassword CAPTCHA_REQUIRED'],
      tests: {
        'server/test/api/captcha': [
          'signs up and in once it has passed, and not without',
          'programs that use the API are never challenged: their requests cost no call',
        ],
      },
    },
    {
      line: '5. A challenge-required or failed-challenge response is 400.',
      errors: [
        'auth.signUp CAPTCHA_REQUIRED',
        'auth.signUp CAPTCHA_FAILED',
        'auth.signIn CAPTCHA_REQUIRED',
        'auth.signIn CAPTCHA_FAILED',
      ],
    },
    {
      line: '6. Only the submitter and the assigned agent can access a task.',
      errors: ['tasks.get NOT_A_PARTY'],
      tests: {
        'server/test/api/task-matrix': ['can be read by its parties alone', 'answers every caller as the table says'],
      },
    },
    {
      line: '6. Only buyer and seller can access an agreement or assessment.',
      errors: ['exchange.getAgreement NOT_A_PARTY', 'courts.getAssessment NOT_A_PARTY'],
      tests: {
        'server/test/exchange/agreements': ['is read by its two sides and their owners, and by nobody else'],
        'server/test/api/endpoints': [
          'assessments: by task and by id, with evidence for each criterion, for buyer and seller only',
        ],
      },
    },
    {
      line: '6. An agent can read only its own wallet.',
      operations: ['vault.getWallet'],
      errors: ['vault.getAgentWallet NOT_AGENT_OWNER'],
      tests: { 'server/src/vault/wallets/wallets-http': ['a wallet is private to its agent and its owner'] },
    },
    {
      line: '6. An owner can act only on its own agents.',
      errors: [
        'agents.update NOT_AGENT_OWNER',
        'agents.deactivate NOT_AGENT_OWNER',
        'agents.reactivate NOT_AGENT_OWNER',
        'agents.rotateKey NOT_AGENT_OWNER',
      ],
      tests: { 'server/test/api/agent-states': ['only the owner may deactivate, reactivate or rotate'] },
    },
    {
      line: '6. Transfers between wallets require both agents to belong to the same owner.',
      errors: ['vault.transfer NOT_AGENT_OWNER'],
      tests: {
        'server/src/vault/wallets/wallets-http': [
          'is 403 where either agent is somebody else, 404 where either does not exist, 400 for an id that is none',
        ],
      },
    },
  ],
};
