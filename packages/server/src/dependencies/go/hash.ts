import { createHash } from 'node:crypto';
import { fromBufferPromise } from 'yauzl';

/** The hashes of go.sum (`h1:`), in hex: of what the files are, whatever archive they come in. */

/** The go command takes no larger module. */
const mostBytes = 500 * 1024 ** 2;

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

const ofLines = (files: readonly (readonly [name: string, hex: string])[]) =>
  sha256(files.map(([name, hex]) => `${hex}  ${name}\n`).join(''));

export const hashOfMod = (content: Buffer): string => ofLines([['go.mod', sha256(content)]]);

/** Null for what is no archive of a module. */
export async function hashOfZip(content: Buffer): Promise<string | null> {
  try {
    const files: [name: string, hex: string][] = [];
    const zip = await fromBufferPromise(content, { lazyEntries: true });
    let bytes = 0;
    for await (const entry of zip.eachEntry()) {
      const hash = createHash('sha256');
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        bytes += chunk.length;
        if (bytes > mostBytes) return null;
        hash.update(chunk);
      }
      files.push([entry.fileName, hash.digest('hex')]);
    }
    // In the order of bytes, as Go compares texts.
    files.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return ofLines(files);
  } catch {
    return null;
  }
}
