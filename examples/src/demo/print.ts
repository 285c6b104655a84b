import Table from 'cli-table3';
import pc from 'picocolors';

const started = performance.now();

export const dollars = (cents: number): string => `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`;

export const heading = (text: string): void => console.log(`\n${pc.bold(pc.cyan(text))}`);

/** One line of the story, with the seconds since the start. */
export function step(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5);
  console.log(`${pc.dim(`${seconds}s`)}  ${text}`);
}

export const aside = (text: string): void => console.log(pc.dim(`          ${text}`));

export const good = (text: string): string => pc.green(text);
export const bad = (text: string): string => pc.red(text);

export function table(head: string[], rows: (string | number)[][]): void {
  const made = new Table({ head: head.map((each) => pc.bold(each)), style: { head: [], border: [] } });
  made.push(...rows.map((row) => row.map(String)));
  console.log(made.toString());
}
