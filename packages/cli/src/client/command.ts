import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { type JsonOption, jsonOption, profileOption, type ServerOptions, urlOption } from '../options.ts';
import { print } from '../print.ts';

/** A command that talks to a server, with the options that all of them have. */
export function clientCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .addOption(urlOption())
    .addOption(profileOption())
    .addOption(jsonOption());
}

/** Options of a command that prints a list. */
export interface PageOptions extends ServerOptions {
  pageSize: number;
  cursor?: string;
  all?: boolean;
}

/** A command that prints a list, page by page. */
export function listCommand(parent: Command, name: string, description: string): Command {
  return clientCommand(parent, name, description)
    .addOption(new Option('--page-size <n>', 'entries of a page, 1 to 100').argParser(wholeFrom(1, 100)).default(20))
    .addOption(new Option('--cursor <cursor>', 'continue where a page has ended').conflicts('all'))
    .option('--all', 'all pages');
}

/** Whole numbers in a range; others are refused before a server is asked. */
export const wholeFrom =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It takes a whole number from ${least} to ${most}.`);
  };

/** Cents: `500` is $5.00. */
export function cents(text: string): number {
  if (/^\d{1,12}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It takes whole cents: 500 is $5.00.');
}

export const centsArgument = (description = 'whole cents: 500 is $5.00') =>
  new Argument('<cents>', description).argParser(cents);

/** Collects an option that may be given several times. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

interface Listed<T> {
  data: T[];
  pagination: { pageSize: number; nextCursor: string | null };
}

/** Entries held at most: `--all` of a longer list ends with an error instead of all memory. */
const mostListed = 100_000;

/** Fetches a page, or all of them with `--all`, and prints it; with `--json` as the API sends a page. */
export async function printPages<T>(
  options: PageOptions,
  fetch: (page: { pageSize: number; cursor?: string }) => Promise<Listed<T>>,
  text: (entries: T[]) => string,
): Promise<void> {
  const found = await fetch({
    pageSize: options.all ? 100 : options.pageSize,
    ...(options.cursor && { cursor: options.cursor }),
  });
  const data = [...found.data];
  let { nextCursor } = found.pagination;
  while (options.all && nextCursor !== null) {
    const next = await fetch({ pageSize: 100, cursor: nextCursor });
    data.push(...next.data);
    nextCursor = next.pagination.nextCursor;
    if (data.length > mostListed) throw new Error(`There are more than ${mostListed}; narrow the list by its filters.`);
  }
  const pagination = { pageSize: found.pagination.pageSize, nextCursor };
  print(options, { data, pagination }, () => (data.length === 0 ? 'There are none.' : text(data)));
  tellMore(options, nextCursor);
}

function tellMore(options: JsonOption, nextCursor: string | null): void {
  if (nextCursor !== null && !options.json) console.error(`More: --cursor ${nextCursor}, or --all`);
}
