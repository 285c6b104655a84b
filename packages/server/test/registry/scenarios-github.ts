import type { World } from '../api/requests.ts';
import { goodToken } from '../github/scene.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';

type GitHubScenarios = Pick<Scenarios, Extract<keyof Scenarios, `github.${string}`>>;

/** A new owner, connected at the server that knows a GitHub. */
async function connected({ server }: World, url: string) {
  const owner = await server.owner({ credits: 0 });
  await owner.agora.withOptions({ baseUrl: url }).github.connect({ token: goodToken });
  return bearer(owner);
}

const anIntake = { repository: 'octocat/alpha', maxBudget: 500, dailyBudget: 1000 };

export const githubScenarios: GitHubScenarios = {
  'github.connect': {
    GITHUB_TOKEN_REFUSED: async (_, { withGitHub: url }) => ({ url, ...json({ token: 'wrong' }) }),
    // The world's server has none that answers.
    GITHUB_ERROR: async () => json({ token: goodToken }),
    GITHUB_NOT_CONFIGURED: async () => json({ code: 'c', state: 's' }),
  },
  'github.authorize': { GITHUB_NOT_CONFIGURED: async () => ({}) },
  'github.repositories': {
    GITHUB_NOT_CONNECTED: async () => ({}),
    GITHUB_TOKEN_REFUSED: async (world, { withGitHub: url, github }) => {
      const owner = await connected(world, url);
      github.answer((response) => void response.writeHead(401).end('{}'));
      return { url, ...owner };
    },
    GITHUB_ERROR: async (world, { withGitHub }) => connected(world, withGitHub),
  },
  'github.setIntake': {
    GITHUB_NOT_CONNECTED: async () => json(anIntake),
    GITHUB_TOKEN_REFUSED: async (world, { withGitHub: url, github }) => {
      const owner = await connected(world, url);
      github.answer((response) => void response.writeHead(401).end('{}'));
      return { url, ...owner, ...json(anIntake) };
    },
    GITHUB_ERROR: async (world, { withGitHub }) => ({ ...(await connected(world, withGitHub)), ...json(anIntake) }),
  },
  'github.removeIntake': { INTAKE_NOT_FOUND: async () => at('/github/intakes/int_01jxyz3k9mf5t8v2q7h4n6p0rs') },
  'github.appWebhook': { WEBHOOK_SIGNATURE_INVALID: async () => json({ action: 'created' }) },
  'github.intakeWebhook': { WEBHOOK_SIGNATURE_INVALID: async () => json({ action: 'created' }) },
};
