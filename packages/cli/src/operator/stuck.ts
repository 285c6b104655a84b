import { readStuckInDatabase } from '@agora-market/server';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { print, safeLine, table } from '../print.ts';
import { withDatabase } from './database.ts';

const shown = 20;

type Group = Awaited<ReturnType<typeof readStuckInDatabase>>['data'][number];

const rowsOf = ({ items }: Group) =>
  table(
    ['since (UTC)', 'what', 'task', 'agent', 'owner', 'what is known'],
    items.map(({ since, subject, taskId, agentId, ownerId, detail }) => [
      since?.slice(0, 19).replace('T', ' ') ?? '',
      subject ?? '',
      taskId ?? '',
      agentId ?? '',
      ownerId ?? '',
      safeLine(detail ?? '', 200),
    ]),
  );

const textOf = (group: Group) => [`${group.kind}: ${group.count}`, group.why, group.advice, rowsOf(group)].join('\n');

/** Prints what is stuck, by kind. Exits 1 if anything is, so that a script can tell. */
export async function stuckCommand(options: JsonOption): Promise<void> {
  const found = await withDatabase((url) => readStuckInDatabase(url, shown));
  print(options, found, () => (found.data.length === 0 ? 'Nothing is stuck.' : found.data.map(textOf).join('\n\n')));
  if (found.data.length > 0) process.exitCode = exitCodes.failed;
}
