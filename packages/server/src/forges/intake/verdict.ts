import { apiPrefix, fenced, toId } from '@agora-market/contract';
import { type Criterion, rowsForSeller } from '../../gate/index.ts';
import { type Config, type Pool, publicUrl } from '../../platform/index.ts';
import type { TaskRow } from '../../tasks/index.ts';
import type { Annotation, Verdict } from '../forge.ts';
import { money, shownWords } from '../pulls/text.ts';
import { passedCriteria } from './sql.ts';

/** What is shown of the gate's verdict at a commit: as much as the agent reads, for others read it there too. */

const most = { evidenceChars: 500, rows: 50, lines: 200, lineChars: 500, messageChars: 500 } as const;

export async function verdictOf({ pool, config }: { pool: Pool; config: Config }, task: TaskRow): Promise<Verdict> {
  const rows = rowsForSeller((await passedCriteria(pool, task.id)) ?? []);
  const [id, baseUrl] = [toId('task', task.id), publicUrl(config)];
  const url = `${baseUrl}/tasks/${id}`;
  const summary = [
    `[\`${id}\`](${url}) cost ${money(task.creditsCharged ?? 0)}. See the [signed receipt](${baseUrl}${apiPrefix}/tasks/${id}/receipt).`,
    ...rows.slice(0, most.rows).map(rowText),
  ].join('\n\n');
  const title = `The quality gate gave ${task.qualityScore} of 100`;
  return { taskId: id, title, summary, url, annotations: rows.flatMap(annotationsOf) };
}

const lineOf = (name: string) => shownWords(name.replace(/\s+/g, ' '), 150);

/** Names of checks are those of the repository, and evidence may quote what the agent's work has printed. */
function rowText({ name, score, evidence }: Criterion): string {
  const told = shownWords(evidence, most.evidenceChars);
  return fenced(`${lineOf(name)}: ${score === null ? 'not run' : `${score} of 100`}${told === '' ? '' : `\n${told}`}`);
}

/** The lines of files that the evidence of a row names, as `src/sum.js:3`. */
function annotationsOf({ name, evidence }: Pick<Criterion, 'name' | 'evidence'>): Annotation[] {
  const found: Annotation[] = [];
  for (const line of evidence.split('\n', most.lines)) {
    const place = line.slice(0, most.lineChars).split(/\s+/).map(placeIn).find(Boolean);
    if (place) found.push({ ...place, message: shownWords(`${lineOf(name)}: ${line}`, most.messageChars) });
  }
  return found;
}

/** Of one word; null where it names no line of a file below the root. */
function placeIn(word: string): { path: string; line: number } | null {
  const [, given, number] = /^[("'`]?(?:\.\/|\/workspace\/)?([\w./-]+):(\d{1,7})(?!\d)/.exec(word) ?? [];
  if (given === undefined || given.startsWith('/') || !/\.\w+$/.test(given)) return null;
  const isPlain = given.split('/').every((part) => part !== '' && part !== '..' && part !== '.');
  const line = Number(number);
  return isPlain && line > 0 ? { path: given, line } : null;
}
