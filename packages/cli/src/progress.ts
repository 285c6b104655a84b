const width = 40;

/** Of a terminal that does not tell its width. */
const usualColumns = 80;

/**
 * A bar of a share from 0 to 1 and what it is of. It is narrower than the terminal, for one that wraps cannot be cleared.
 */
export function barOf(share: number, what: string, columns: number | undefined): string {
  const filled = Math.floor(share * width);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(width - filled)}`;
  return `[${bar}] ${Math.floor(share * 100)} % ${what}`.slice(0, (columns || usualColumns) - 1);
}

/** A bar on a terminal's last line that says how much of what is done; nothing where nobody looks. */
export function showProgress(done: number, total: number, what: string): void {
  if (!process.stderr.isTTY) return;
  const share = total === 0 ? 1 : done / total;
  process.stderr.write(`\r${barOf(share, `of ${what}`, process.stderr.columns)}${share === 1 ? '\n' : ''}`);
}

/** In MiB of a total. */
export const showMebibytes = (what: string) => (done: number, total: number) =>
  showProgress(done, total, `${Math.ceil(total / 1024 ** 2)} MiB ${what}`);
