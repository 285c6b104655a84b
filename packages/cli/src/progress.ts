const width = 40;

/** A bar on a terminal's last line that says how much of what is done; nothing where nobody looks. */
export function showProgress(done: number, total: number, what: string): void {
  if (!process.stderr.isTTY) return;
  const share = total === 0 ? 1 : done / total;
  const filled = Math.floor(share * width);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(width - filled)}`;
  process.stderr.write(`\r[${bar}] ${Math.floor(share * 100)} % of ${what}${share === 1 ? '\n' : ''}`);
}

/** In MiB of a total. */
export const showMebibytes = (what: string) => (done: number, total: number) =>
  showProgress(done, total, `${Math.ceil(total / 1024 ** 2)} MiB ${what}`);
