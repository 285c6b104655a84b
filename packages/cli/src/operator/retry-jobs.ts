import { retryJobsInDatabase } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { auditOf, withDatabase } from './database.ts';

interface Options extends JsonOption {
  reason: string;
  by?: string;
}

/** Lets the jobs of a kind run again that were given up. */
export async function retryJobsCommand(kind: string, options: Options): Promise<void> {
  const done = await withDatabase((url) => retryJobsInDatabase(url, { kind, ...auditOf(options) }));
  print(options, done, done.retried === 0 ? `No job of the kind ${kind} was given up.` : `${done.retried} run again.`);
}
