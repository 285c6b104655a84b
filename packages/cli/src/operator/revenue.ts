import { readRevenue } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { withDatabase } from './database.ts';

const columns = [
  'fees',
  'feesRefunded',
  'disputeCosts',
  'netRevenue',
  'volume',
  'volumeRefunded',
  'charges',
  'refunds',
] as const;

/** Prints a line for each period in which anything moved, and one for all of them. */
export async function revenueCommand(options: JsonOption & { from?: string; to?: string; by?: string }): Promise<void> {
  const { json: _, ...query } = options;
  const found = await withDatabase((url) => readRevenue(url, query));
  const moved = found.periods.filter((one) => columns.some((column) => one[column] !== 0));
  const lines = [...moved, { period: 'total', ...found.total }].map((one) =>
    [one.period.padEnd(10), ...columns.map((column) => String(one[column]).padStart(15))].join(''),
  );
  const head = ['period'.padEnd(10), ...columns.map((column) => column.padStart(15))].join('');
  print(options, found, [head, ...lines, '', 'All in cents. Periods in which nothing moved are left out.'].join('\n'));
}
