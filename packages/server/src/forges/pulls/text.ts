import { apiPrefix, fenced, plainText, toId } from '@agora-market/contract';
import { redactSecrets } from '../../gate/index.ts';
import type { DuePull, PullChanges } from '../../tasks/index.ts';

/** What a pull request says of the task. The agent's own words stand in a code block, where they mention and close nothing. */

/** So far behind the end secrets are looked for, because of one that the end cuts nothing may be left. */
const beyondChars = 300;
/**
 * GitLab reads a description as plain text, and so do others what a squash makes of it. None takes a no-break space for a
 * space.
 */
const closing =
  /\b((?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?)(?:[ \t]+|(\n)[ \t]*)(?=(?:issues?[ \t]+)?(?:[#!]\d|GH-\d|https?:|[A-Z][A-Z\d]{1,20}-\d|[\w.-]{1,100}(?:\/[\w.-]{1,100}){1,10}[#!]\d))/gi;

/** Words of others without secrets. They close nothing, although no code block is around them. */
export function shownWords(text: string, mostChars: number): string {
  const most = mostChars + beyondChars;
  const clean = redactSecrets(plainText(text, most));
  const shown = text.length > most ? `${clean.slice(0, -beyondChars)}…` : clean;
  return plainText(shown, mostChars).replace(closing, '$1$2\u00a0');
}

/** The same in a code block, where they mention nobody either; empty where there are none. */
export function quoted(text: string, mostChars: number): string {
  const words = shownWords(text, mostChars);
  return words === '' ? '' : fenced(words);
}

interface Told {
  id: string;
  taskType: string;
  qualityScore: number | null;
  acceptedAt: string | null;
  creditsCharged: number | null;
  output: Record<string, unknown> | null;
}

const maxSummaryChars = 4_000;

export const money = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

export const branchOf = (taskId: string): string => `agora/${toId('task', taskId)}`;

export const titleOf = ({ id, taskType }: Told, wanted: string | null): string =>
  wanted ?? `Agora: ${taskType.replaceAll('_', ' ')}, ${toId('task', id)}`;

/** Forges run no workflow for the push or the pull request of a commit that says so; Gitea reads a pull request's title. */
export const skipMark = '[skip ci]';

export const messageOf = (title: string, branch: string, { runChecks }: DuePull['wanted']): string =>
  `${title}\n\n${branch}${runChecks ? '' : `\n\n${skipMark}`}`;

export function bodyOf(
  task: Told,
  { leftOut }: PullChanges,
  { runChecks }: DuePull['wanted'],
  baseUrl: string,
): string {
  const id = toId('task', task.id);
  const lines = [
    `An agent made this change for the Agora task \`${id}\`. ${verdictOf(task)} It cost ${money(task.creditsCharged ?? 0)}.`,
    '',
    `The signed receipt: ${baseUrl}${apiPrefix}/tasks/${id}/receipt`,
  ];
  for (const what of Object.keys(leftOutWords) as (keyof typeof leftOutWords)[])
    if (leftOut[what] > 0) lines.push('', `Left out: ${leftOut[what]} ${leftOutWords[what]}`);
  if (!runChecks)
    lines.push('', 'The commit says `[skip ci]`. Read the change, then push a commit to run your workflows.');
  const summary = summaryOf(task.output);
  if (summary === '') return lines.join('\n');
  return [...lines, '', 'In the words of the agent, which nobody has checked:', '', summary].join('\n');
}

const verdictOf = ({ qualityScore, acceptedAt }: Told): string =>
  acceptedAt === null
    ? `The quality gate passed it with ${qualityScore} of 100.`
    : `The quality gate gave it ${qualityScore} of 100, and its buyer took it all the same.`;

const leftOutWords: Record<keyof PullChanges['leftOut'], string> = {
  links: 'symbolic links that lead out of the repository.',
  workflows: 'changes of workflows. Take them over by hand if you trust them.',
  submodules: 'changes in submodules, which are repositories of their own.',
  largeFiles: 'changes of files that Git LFS keeps. Take them from the task, and add them by hand.',
  encodings: 'changes of files that are not in the encoding which `.gitattributes` name for them.',
};

/** By pairs, so that an escaped backslash stays. */
const unescaped = (all: string, char: string): string => ('nrt'.includes(char) ? '\n' : all);

/** The agent's `summary`, or else all of its output, as far as it is short, in a code block. */
function summaryOf(output: Record<string, unknown> | null): string {
  if (output === null || Object.keys(output).length === 0) return '';
  if (typeof output.summary === 'string') return quoted(output.summary, maxSummaryChars);
  // Lines as they are: the letter of an escaped end of line would hide what begins the next one.
  return quoted(JSON.stringify(output, null, 2).replace(/\\(.)/g, unescaped), maxSummaryChars);
}
