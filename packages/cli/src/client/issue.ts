import { text } from 'node:stream/consumers';
import { briefOf, type Issue } from '@agora-market/contract';
import { z } from 'zod';
import { UsageError } from '../failure.ts';

/** What is to be repaired. */
export interface Problem {
  /** For people: the title of the issue, or the text itself. */
  title: string;
  /** For the agent. */
  description: string;
}

/** The problem that an argument names: the address of an issue, `-` for standard input, or text as it is. */
export async function problemOf(given: string): Promise<Problem> {
  const told = (given === '-' ? await text(process.stdin) : given).trim();
  if (told === '') throw new UsageError('Say what is to be repaired: the address of an issue, or a text.');
  if (!/^https?:\/\/\S+$/.test(told)) return { title: told, description: told };
  const issue = await readIssue(told);
  return { title: issue.title, description: briefOf(issue) };
}

/** Where a forge has an issue and what was said below it. */
interface Place {
  issue: string;
  comments: string;
}

const isHere = (hostname: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

/** The APIs that may have the issue of an address: its path says which forge it is, but for one that is self-hosted. */
function placesOf(address: string): Place[] {
  const { protocol, origin, hostname, pathname } = new URL(address);
  if (protocol !== 'https:' && !isHere(hostname)) throw new UsageError('Give the https address of the issue.');
  const [, project, at] = /^\/(.+)\/-\/(?:issues|work_items)\/(\d{1,15})\/?$/.exec(pathname) ?? [];
  if (project !== undefined) {
    const issue = `${origin}/api/v4/projects/${encodeURIComponent(decodeURIComponent(project))}/issues/${at}`;
    return [{ issue, comments: `${issue}/notes?sort=asc&per_page=100` }];
  }
  const [, repository, number] = /^\/([\w.-]+\/[\w.-]+)\/issues\/(\d{1,15})\/?$/.exec(pathname) ?? [];
  if (repository === undefined) {
    throw new UsageError(
      `${address} is no issue. Give an address as https://github.com/<account>/<name>/issues/<number>, or a text.`,
    );
  }
  const roots = hostname === 'github.com' ? ['https://api.github.com'] : [`${origin}/api/v1`, `${origin}/api/v3`];
  return roots.map((root) => {
    const issue = `${root}/repos/${repository}/issues/${number}`;
    return { issue, comments: `${issue}/comments?per_page=100` };
  });
}

const words = z.string().nullish();
const issueReply = z.object({ title: z.string(), body: words, description: words });
const commentReply = z.array(
  z.object({
    body: words,
    system: z.boolean().optional(),
    user: z.object({ login: z.string() }).nullish(),
    author: z.object({ username: z.string() }).nullish(),
  }),
);

async function readIssue(address: string): Promise<Issue> {
  const url = address.replace(/[?#].*$/, '');
  for (const { issue, comments } of placesOf(url)) {
    const found = await ask(issue, issueReply);
    if (typeof found === 'number') {
      if (found === 404) continue;
      throw unreadable(url, reasonOf(found));
    }
    const said = await ask(comments, commentReply);
    return {
      ...{ url, title: found.title, body: found.body ?? found.description ?? '' },
      // A forge may keep comments from those who have no account.
      comments: typeof said === 'number' ? [] : said.filter(({ system }) => !system).map(commentOf),
    };
  }
  throw unreadable(url, reasonOf(404));
}

const commentOf = ({ body, user, author }: z.output<typeof commentReply>[number]) => ({
  author: user?.login ?? author?.username ?? 'somebody',
  body: body ?? '',
});

function reasonOf(status: number): string {
  if (status === 404 || status === 410) return 'there is none, or not for everybody';
  if (status === 401) return 'its forge shows it to members alone';
  if (status === 403 || status === 429) return 'its forge answers you no more requests for now';
  if (status >= 300 && status < 400) return 'it has moved; give its new address';
  return `its forge answered with status ${status}`;
}

const unreadable = (url: string, reason: string): Error =>
  new Error(
    `The issue ${url} cannot be read: ${reason}. Give its text instead, for example: gh issue view <number> | agora fix -`,
  );

const mostReplyBytes = 2 * 1024 ** 2;
const askMs = 15_000;

/** The reply as the schema has it, or the status of another one. No redirect is followed: it could lead anywhere. */
async function ask<T>(url: string, schema: z.ZodType<T>): Promise<T | number> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': 'agora' },
      redirect: 'manual',
      signal: AbortSignal.timeout(askMs),
    });
    if (response.status === 200) return schema.parse(JSON.parse(await bodyOf(response)));
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw unreadable(url, whyNot(error as Error));
  }
}

async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > mostReplyBytes) throw new Error('its forge answered with more than 2 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function whyNot(error: Error & { code?: string }): string {
  if (error.name === 'TimeoutError') return `its forge did not answer in ${askMs / 1000} seconds`;
  if (error instanceof SyntaxError || error instanceof z.ZodError) return 'what is there is no issue of a known forge';
  return error.cause instanceof Error ? `its forge does not answer (${error.cause.message})` : error.message;
}
