import { z } from 'zod';
import type { Access, Verdict } from '../forge.ts';
import type { Ask } from '../repos-api.ts';

/** How the gate's verdict is shown at a commit: an App may make check runs, and any other token a status at most. */

const checkName = 'Agora';
/** GitHub takes so many annotations in a request. */
const mostAnnotations = 50;

export async function tellVerdict(ask: Ask, access: Access, commit: string, verdict: Verdict): Promise<void> {
  const { taskId, title, summary, url, annotations } = verdict;
  if (access.installation === null) {
    const body = { state: 'success', description: title.slice(0, 140), target_url: url, context: 'agora' };
    await ask(`/statuses/${commit}`, z.unknown(), { method: 'POST', body });
    return;
  }
  const known = z.object({ check_runs: z.array(z.object({ external_id: z.string().nullish() })) });
  const asked = new URLSearchParams({ check_name: checkName, per_page: '100' });
  const { value } = await ask(`/commits/${commit}/check-runs?${asked}`, known);
  if (value.check_runs.some(({ external_id }) => external_id === taskId)) return;
  const output = {
    title,
    summary,
    annotations: annotations.slice(0, mostAnnotations).map(({ path, line, message }) => ({
      ...{ path, start_line: line, end_line: line, annotation_level: 'notice', message },
    })),
  };
  const body = {
    ...{ name: checkName, head_sha: commit, external_id: taskId, details_url: url, output },
    ...{ status: 'completed', conclusion: 'success' },
  };
  await ask('/check-runs', z.unknown(), { method: 'POST', body });
}
