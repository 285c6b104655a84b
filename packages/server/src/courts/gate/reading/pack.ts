import type { SandboxFile } from '../../../sandbox/index.ts';

/** Copied at once; a repository of a hundred megabytes would hold the loop for long. */
const sliceBytes = 4 * 1024 ** 2;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The files one after the other in one piece of memory, which is then handed over without another copy. */
export async function pack(files: readonly SandboxFile[]) {
  let total = 0;
  for (const { content } of files) total += content.length;
  const bytes = new ArrayBuffer(total);
  const target = Buffer.from(bytes);
  let at = 0;
  let untilTurn = sliceBytes;
  for (const { content } of files) {
    for (let from = 0; from < content.length; from += sliceBytes) {
      const copied = content.copy(target, at, from, Math.min(content.length, from + sliceBytes));
      at += copied;
      untilTurn -= copied;
      if (untilTurn > 0) continue;
      untilTurn = sliceBytes;
      await turn();
    }
  }
  return { paths: files.map(({ path }) => path), sizes: files.map(({ content }) => content.length), bytes };
}
