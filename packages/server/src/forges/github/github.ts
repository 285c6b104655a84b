import { z } from 'zod';
import { type ForgeApi, ForgeRefusal } from '../api.ts';
import { type Access, type Branch, type Delivery, type Forge, type NewPull, type Told, wantedLabel } from '../forge.ts';
import { type Ask, find, list, listed, loginOf, pathOf, pullReply, sha, sharedApi } from '../repos-api.ts';
import { asking, bodyOf, deliveryIdOf, hmacOf, isEqual, spotNumber } from '../signatures.ts';
import type { App } from './app.ts';
import { commitIn, isCommitOf, treeIn } from './commit.ts';
import { lineTo } from './line.ts';
import { tellVerdict } from './verdict.ts';

/** GitHub, or a GitHub Enterprise Server that the operator has chosen. */

/** Of an installation, in one more object. */
const ofInstallation = z.object({ repositories: listed }).transform(({ repositories }) => repositories);
const reference = z.object({ object: z.object({ sha }) });

export function createGitHub(api: ForgeApi, apiBase: string, app: App | null): Forge {
  const asker =
    ({ token }: Pick<Access, 'token'>, below = '', signal?: AbortSignal): Ask =>
    (path, schema, options = {}) =>
      api.ask(lineTo(apiBase, token), `${below}${path}`, schema, { ...options, ...(signal && { signal }) });
  return {
    loginOf: (access) => loginOf(asker(access)),
    async find(access, repository) {
      const found = await find(asker(access), repository);
      if (found === null || access.installation === null) return found;
      return { ...found, canWrite: (await app?.installationWith(repository)) === access.installation };
    },
    async list(access, page, pageSize) {
      const asked = `per_page=${pageSize}&page=${page}`;
      if (access.installation === null) return list(asker(access), `/user/repos?sort=full_name&${asked}`, listed);
      return list(asker(access), `/installation/repositories?${asked}`, ofInstallation);
    },
    at(access, repository, signal) {
      const ask = asker(access, `/repos/${repository}`, signal);
      const {
        get,
        labellingByEvents,
        labellingByTimeline: _,
        ...shared
      } = sharedApi(ask, repository, {
        size: 'per_page',
        writers: ['admin', 'write'],
      });
      const commitOf = async (branch: string) =>
        (await get(`/git/ref/heads/${pathOf(branch)}`, reference))?.object.sha ?? null;
      return {
        ...shared,
        commitOf,
        labelling: labellingByEvents,
        tellVerdict: (commit, verdict) => tellVerdict(ask, access, commit, verdict),
        async pullOf(branch) {
          const query = new URLSearchParams({ head: `${repository.split('/')[0]}:${branch}`, state: 'all' });
          return (await ask(`/pulls?${query}`, z.array(pullReply))).value[0]?.html_url ?? null;
        },
        async makeBranch(branch: Branch) {
          const tree = await treeIn(ask, branch);
          const ours = async (tip: string) => ((await isCommitOf(ask, tip, branch, tree)) ? tip : null);
          const there = await commitOf(branch.name);
          if (there !== null) return ours(there);
          const made = await commitIn(ask, branch, tree);
          try {
            const body = { ref: `refs/heads/${branch.name}`, sha: made };
            await ask('/git/refs', reference, { method: 'POST', body });
            return made;
          } catch (error) {
            const isThere = error instanceof ForgeRefusal && error.answered === 422;
            const other = isThere ? await commitOf(branch.name) : null;
            if (other === null) throw error;
            return ours(other);
          }
        },
        async openPull({ branch, base, title, body: text, isDraft }: NewPull) {
          const body = { head: branch, base, title, body: text, draft: isDraft };
          return (await ask('/pulls', pullReply, { method: 'POST', body })).value.html_url;
        },
      };
    },
    isSigned: (secret, delivery) =>
      isEqual(`sha256=${hmacOf(secret, delivery)}`, delivery.headers['x-hub-signature-256']),
    read: (delivery) => readDelivery(delivery, delivery.headers['x-github-event']),
  };
}

const repository = z.object({ full_name: z.string().max(300) });
const common = { repository, issue: z.object({ number: spotNumber }) };
const ofPull = { repository, pull_request: z.object({ number: spotNumber }) };
const said = z.object({ id: z.int().min(1), body: asking });
const labelled = z.object({
  ...common,
  action: z.literal('labeled'),
  label: z.object({ name: z.literal(wantedLabel) }),
});
const commented = z.object({
  ...common,
  action: z.literal('created'),
  comment: said,
});
const commentedLine = z.object({ ...ofPull, action: z.literal('created'), comment: said });
const reviewed = z.object({ ...ofPull, action: z.literal('submitted'), review: said });

function readDelivery(delivery: Delivery, event: unknown): Told | null {
  const deliveryId = deliveryIdOf(delivery, 'x-github-delivery');
  if (deliveryId === null) return null;
  if (event === 'issues') {
    const found = bodyOf(delivery, labelled);
    return found && { deliveryId, ...whereOf(found, found.issue), comment: null };
  }
  if (event === 'issue_comment') {
    const found = bodyOf(delivery, commented);
    return found && { deliveryId, ...whereOf(found, found.issue), comment: { id: found.comment.id, kind: 'comment' } };
  }
  if (event === 'pull_request_review_comment') {
    const found = bodyOf(delivery, commentedLine);
    const comment = found && { id: found.comment.id, kind: 'line' as const };
    return found && { deliveryId, ...whereOf(found, found.pull_request), comment };
  }
  const found = event === 'pull_request_review' ? bodyOf(delivery, reviewed) : null;
  const comment = found && { id: found.review.id, kind: 'review' as const };
  return found && { deliveryId, ...whereOf(found, found.pull_request), comment };
}

/** Issues and pull requests are numbered together. */
const whereOf = ({ repository }: { repository: { full_name: string } }, { number }: { number: number }) => ({
  repository: repository.full_name,
  spot: { number, isPull: false },
});

/** The installation of the App that a webhook is about, and the repository; null where it names none. */
export const installationOf = (delivery: Delivery): number | null =>
  bodyOf(delivery, z.object({ installation: z.object({ id: z.int().min(1) }) }))?.installation.id ?? null;
