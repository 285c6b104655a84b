import { z } from 'zod';
import type { ForgeApi } from '../api.ts';
import { type Access, type Delivery, type Forge, type Told, wantedLabel } from '../forge.ts';
import { skipMark } from '../pulls/text.ts';
import type { Push } from '../push.ts';
import { type Ask, find, list, listed, loginOf, pathOf, pullReply, sha, sharedApi } from '../repos-api.ts';
import { asking, bodyOf, deliveryIdOf, hmacOf, isEqual, spotNumber } from '../signatures.ts';

/** Gitea and Forgejo, whose API is that of GitHub in most points. */

const branchReply = z.object({ commit: z.object({ id: sha }) });

export function createGitea(api: ForgeApi, push: Push): Forge {
  const asker =
    ({ root, token }: Pick<Access, 'root' | 'token'>, below = '', signal?: AbortSignal): Ask =>
    (path, schema, options = {}) => {
      const line = { forge: 'gitea', base: `${root}/api/v1`, headers: { authorization: `token ${token}` } } as const;
      return api.ask(line, `${below}${path}`, schema, { ...options, ...(signal && { signal }) });
    };
  return {
    loginOf: (access) => loginOf(asker(access)),
    find: (access, repository) => find(asker(access), repository),
    list: (access, page, pageSize) => list(asker(access), `/user/repos?limit=${pageSize}&page=${page}`, listed),
    at(access, repository, signal) {
      const ask = asker(access, `/repos/${repository}`, signal);
      const {
        get,
        labellingByEvents: _,
        labellingByTimeline,
        ...shared
      } = sharedApi(ask, repository, {
        size: 'limit',
        writers: ['owner', 'admin', 'write'],
      });
      const commitOf = async (branch: string) =>
        (await get(`/branches/${pathOf(branch)}`, branchReply))?.commit.id ?? null;
      return {
        ...shared,
        commitOf,
        labelling: labellingByTimeline,
        async tellVerdict(commit, { title, url }) {
          const body = { state: 'success', description: title, target_url: url, context: 'agora' };
          await ask(`/statuses/${commit}`, z.unknown(), { method: 'POST', body });
        },
        pullOf: async (branch, base) =>
          (await get(`/pulls/${encodeURIComponent(base)}/${pathOf(branch)}`, pullReply))?.html_url ?? null,
        makeBranch: (branch) => push(access, repository, branch, commitOf, signal),
        async openPull({ branch, base, title, body, isDraft, runChecks }) {
          // What begins with WIP is a draft.
          const words = [...(isDraft ? ['WIP:'] : []), title, ...(runChecks ? [] : [skipMark])];
          const sent = { head: branch, base, title: words.join(' '), body };
          return (await ask('/pulls', pullReply, { method: 'POST', body: sent })).value.html_url;
        },
      };
    },
    isSigned: (secret, delivery) =>
      isEqual(
        hmacOf(secret, delivery),
        delivery.headers['x-forgejo-signature'] ?? delivery.headers['x-gitea-signature'],
      ),
    read: readDelivery,
  };
}

const common = { repository: z.object({ full_name: z.string().max(300) }), issue: z.object({ number: spotNumber }) };
/** It does not say which label has changed. */
const labelled = z.object({
  ...common,
  action: z.literal('label_updated'),
  issue: z.object({
    number: spotNumber,
    labels: z.array(z.object({ name: z.string() })).refine((all) => all.some(({ name }) => name === wantedLabel)),
  }),
});
const commented = z.object({
  ...common,
  action: z.literal('created'),
  comment: z.object({ id: z.int().min(1), body: asking }),
});

function readDelivery(delivery: Delivery): Told | null {
  const deliveryId = deliveryIdOf(delivery, 'x-forgejo-delivery', 'x-gitea-delivery');
  const event = delivery.headers['x-forgejo-event'] ?? delivery.headers['x-gitea-event'];
  if (deliveryId === null) return null;
  if (event === 'issues') {
    const found = bodyOf(delivery, labelled);
    return found && { deliveryId, ...whereOf(found), comment: null };
  }
  const found = event === 'issue_comment' ? bodyOf(delivery, commented) : null;
  return found && { deliveryId, ...whereOf(found), comment: { id: found.comment.id, kind: 'comment' } };
}

/** Issues and pull requests are numbered together. */
const whereOf = ({ repository, issue }: { repository: { full_name: string }; issue: { number: number } }) => ({
  repository: repository.full_name,
  spot: { number: issue.number, isPull: false },
});
