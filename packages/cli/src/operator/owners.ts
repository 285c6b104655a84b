import { searchOwnersInDatabase } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print, safeLine, table } from '../print.ts';
import { withDatabase } from './database.ts';

const shown = 100;

interface Options extends JsonOption {
  plan?: string;
  status?: string;
}

/** Prints owners that match, the newest first. */
export async function ownersCommand(words: string | undefined, options: Options): Promise<void> {
  const { json: _, ...filters } = options;
  const { data, pagination } = await withDatabase((url) =>
    searchOwnersInDatabase(url, { ...filters, ...(words !== undefined && { q: words }), pageSize: shown }),
  );
  const more = pagination.nextCursor === null ? '' : `\nThere are more. These are the newest ${shown}.`;
  const rows = () =>
    table(
      ['owner', 'e-mail', 'name', 'plan', 'status', 'since (UTC)'],
      data.map(({ id, email, name, plan, status, createdAt }) => [
        id,
        safeLine(email),
        safeLine(name),
        plan,
        status,
        createdAt.slice(0, 10),
      ]),
    );
  print(options, data, () => rows() + more);
}
