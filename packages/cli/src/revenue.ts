import { createLog, openDatabase, readConfig, readRevenue } from '@agora/server';

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

/** Prints a line for each period and one for all of them. */
export async function revenueCommand(options: {
  from?: string;
  to?: string;
  by?: string;
  json?: boolean;
}): Promise<void> {
  const { json, ...query } = options;
  const database = await openDatabase(readConfig(), createLog('warn'), { mustExist: true });
  try {
    const { total, periods, ...rest } = await readRevenue(database.url, query);
    if (json) {
      console.log(JSON.stringify({ ...rest, total, periods }, null, 2));
      return;
    }
    console.log(['period'.padEnd(10), ...columns.map((column) => column.padStart(15))].join(''));
    for (const one of [...periods, { period: 'total', ...total }]) {
      console.log([one.period.padEnd(10), ...columns.map((column) => String(one[column]).padStart(15))].join(''));
    }
  } finally {
    await database.stop();
  }
}
