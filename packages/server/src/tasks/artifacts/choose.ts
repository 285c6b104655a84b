import type { ArtifactLoss } from '@agora-market/contract';
import { inStretches } from '../../platform/index.ts';
import { type ArchiveEntry, readArchive, SandboxError } from '../../sandbox/index.ts';

export interface ArtifactCaps {
  maxCount: number;
  maxBytes: number;
  totalBytes: number;
}

export interface Chosen {
  /** Relative to the output directory. */
  path: string;
  content: Buffer;
  sizeBytes: number;
  dropped: ArtifactLoss | null;
}

const home = 'output/';
/** Files without content that are listed one by one; of more only the number is. */
const droppedListed = 1_000;

/**
 * The files in the output directory of a delivered workspace, by path, and which of them are kept. Links are left out:
 * their target is either there itself or not part of the result.
 */
export async function chooseArtifacts(
  workspace: Buffer,
  { maxCount, maxBytes, totalBytes }: ArtifactCaps,
): Promise<Chosen[]> {
  const { files, beyond } = await outputFiles(workspace);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const chosen: Chosen[] = [];
  let kept = 0;
  let bytes = 0;
  let unlisted = beyond;
  for (const { path, content } of files) {
    const sizeBytes = content.length;
    const dropped =
      sizeBytes > maxBytes
        ? 'too_large'
        : kept === maxCount
          ? 'too_many'
          : bytes + sizeBytes > totalBytes
            ? 'total_too_large'
            : null;
    if (dropped === null) {
      kept += 1;
      bytes += sizeBytes;
    } else if (chosen.length - kept >= droppedListed) {
      unlisted += 1;
      continue;
    }
    chosen.push({ path: path.slice(home.length), content, sizeBytes, dropped });
  }
  if (unlisted > 0) {
    chosen.push({ path: `… and ${unlisted} more`, content: Buffer.alloc(0), sizeBytes: 0, dropped: 'too_many' });
  }
  return chosen;
}

/** Files that are sorted and chosen from; those beyond are counted. */
const maxFiles = 20_000;

/** An archive that no sandbox would give out, or that the agent has damaged, holds nothing to be kept. */
async function outputFiles(workspace: Buffer): Promise<{ files: ArchiveEntry[]; beyond: number }> {
  const files: ArchiveEntry[] = [];
  let beyond = 0;
  try {
    await inStretches(readArchive(workspace), (entry) => {
      if (entry.type !== 'file' || !entry.path.startsWith(home)) return;
      if (files.length < maxFiles) files.push(entry);
      else beyond += 1;
    });
  } catch (error) {
    if (error instanceof SandboxError) return { files: [], beyond: 0 };
    throw error;
  }
  return { files, beyond };
}
