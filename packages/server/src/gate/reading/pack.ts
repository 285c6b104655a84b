import { joined } from '../../platform/index.ts';
import type { SandboxFile } from '../../sandbox/index.ts';

/** The files one after the other in one piece of memory, which is then handed over without another copy. */
export async function pack(files: readonly SandboxFile[]) {
  const { buffer } = await joined(files.map(({ content }) => content));
  return { paths: files.map(({ path }) => path), sizes: files.map(({ content }) => content.length), bytes: buffer };
}
