import { fromBufferPromise } from 'yauzl';

/** The commit that Git has written into an archive that it has made of it; null for other archives. */
export async function commitOfZip(content: Buffer): Promise<string | null> {
  try {
    const { comment } = await fromBufferPromise(content, { lazyEntries: true });
    return comment;
  } catch {
    return null;
  }
}
