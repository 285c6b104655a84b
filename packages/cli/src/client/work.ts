import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, normalize } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Body } from '@agora-market/sdk';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { filesOfDirectory } from './directory.ts';
import { type Files, fileContent } from './file-content.ts';

/** A submission, or what a quote takes of one. */
export type Work = Omit<Body<'tasks.submit'>, 'maxBudget'>;

/** The options of `agora tasks submit` and `quote`. */
export interface WorkOptions extends ServerOptions {
  maxBudget?: number;
  file?: string[];
  dir?: string;
  repo?: string;
  ref?: string;
  pullRequest?: boolean;
  tool?: string[];
  setup?: string;
  memory?: number;
  checks?: string;
  tag?: string[];
  agent?: string;
  attempts?: number;
  deadline?: number;
  queue?: number;
}

/** The server's limit of a request, which the files share with all else. */
const mostBodyBytes = 1024 * 1024;

/** The work that the arguments describe, with the contents of the files that they name. */
export async function workOf(taskType: string, description: string | undefined, options: WorkOptions): Promise<Work> {
  if (options.repo === undefined && (options.ref !== undefined || options.pullRequest)) {
    throw new UsageError('--ref and --pull-request are about a repository; give it with --repo.');
  }
  const told = description === '-' ? (await text(process.stdin)).trim() : description;
  const files = await filesOf(options);
  const repo = options.repo === undefined ? undefined : repositoryOf(options.repo, options);
  const work: Work = {
    taskType: taskType as Work['taskType'],
    input: {
      ...(told && { description: told }),
      ...(Object.keys(files).length > 0 && { files }),
      ...(repo && { repo }),
      ...(options.tag && { tags: options.tag }),
      ...environmentOf(options),
      ...(options.checks !== undefined && { acceptance: await acceptanceOf(options.checks) }),
    },
    ...(options.agent && { agentId: options.agent as NonNullable<Work['agentId']> }),
    ...(options.attempts !== undefined && { attempts: options.attempts }),
    ...(options.deadline !== undefined && { deadlineMinutes: options.deadline }),
    ...(options.queue !== undefined && { waitMinutes: options.queue }),
  };
  checkSize(work);
  return work;
}

function environmentOf({ tool: tools, setup, memory: memoryMb }: WorkOptions) {
  if (tools === undefined && setup === undefined && memoryMb === undefined) return {};
  const environment = { ...(tools && { tools }), ...(setup && { setup }), ...(memoryMb && { memoryMb }) };
  return { environment };
}

const repositoryOf = (url: string, { ref, pullRequest }: WorkOptions) => ({
  url,
  ...(ref && { ref }),
  ...(pullRequest && { pullRequest }),
});

function checkSize(work: Work): void {
  const bytes = Buffer.byteLength(JSON.stringify(work));
  if (bytes <= mostBodyBytes) return;
  const mib = (bytes / mostBodyBytes).toFixed(1);
  throw new UsageError(`The task has ${mib} MiB with its files, and a server takes 1 MiB. Use --repo, or fewer files.`);
}

/** Files of --dir, then those of --file, which replace others of the same name. */
async function filesOf({ dir, file = [] }: WorkOptions): Promise<Files> {
  const files: Files = dir === undefined ? {} : await filesOfDirectory(dir, mostBodyBytes);
  for (const given of file) {
    const { name, path } = namedFile(given);
    files[name] = fileContent(await readSmall(path));
  }
  return files;
}

/** `name=path` names a file in the workspace; a path alone keeps its name, which must not lead out of it. */
function namedFile(given: string): { name: string; path: string } {
  const at = given.indexOf('=');
  const [name, path] = at > 0 ? [given.slice(0, at), given.slice(at + 1)] : [normalize(given), given];
  if (path === '') throw new UsageError(`--file ${given} names no file.`);
  if (isAbsolute(name) || name.split(/[\\/]/).includes('..')) {
    throw new UsageError(`--file ${given} has no name inside the workspace. Give it one: --file name=${path}`);
  }
  return { name, path };
}

async function readSmall(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > mostBodyBytes) throw new UsageError(`${path} is too large: a server takes 1 MiB with all files.`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = { ENOENT: 'there is no such file', EISDIR: 'it is a directory; use --dir' };
    throw new UsageError(`${path} cannot be read: ${reasons[code ?? ''] ?? message}.`);
  }
}

/** The acceptance of a JSON file: the object of the API, or its list of checks alone. */
async function acceptanceOf(path: string): Promise<NonNullable<Work['input']['acceptance']>> {
  const content = (await readSmall(path)).toString('utf8');
  let found: unknown;
  try {
    found = JSON.parse(content);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}.`);
  }
  if (Array.isArray(found)) return { checks: found };
  if (typeof found === 'object' && found !== null) return found;
  throw new UsageError(`${path} takes a list of checks, or an object with checks, schema, rubric or files.`);
}
