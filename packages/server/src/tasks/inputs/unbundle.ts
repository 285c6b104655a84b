import { CloneRefused, inspectPack, limitsOf } from './pack.ts';

export interface UnbundleJob {
  /** A file of `git bundle create`. */
  bundle: Uint8Array;
  /** The time of its files: that of the commit is inside of the pack. */
  sentMs: number;
  maxBytes: number;
  maxFiles: number;
}

export interface Packed {
  commit: string;
  modifiedMs: number;
  packs: Buffer[];
}

/** More than the names of any repository's branches take. */
const maxHeadBytes = 1024 ** 2;
const line =
  /^(?:(?<signature># v[23] git bundle)|@(?<capability>[^\n]*)|-(?<lacks>[0-9a-f]{40,64})(?: .*)?|(?<oid>[0-9a-f]{40,64}) (?<ref>.+))$/;

/** The commit of a bundle: that of HEAD, or of its one branch. See gitformat-bundle(5). */
function headOf(bundle: Buffer): { commit: string; pack: Buffer } {
  const end = bundle.subarray(0, maxHeadBytes).indexOf('\n\n');
  if (end < 0) throw new CloneRefused('not_a_bundle');
  const [first, ...others] = bundle
    .toString('latin1', 0, end)
    .split('\n')
    .map((text) => line.exec(text)?.groups);
  if (first?.signature === undefined) throw new CloneRefused('not_a_bundle');
  const refs = new Map<string, string>();
  for (const each of others) {
    if (each === undefined) throw new CloneRefused('not_a_bundle');
    if (each.capability === 'object-format=sha256' || (each.oid ?? each.lacks)?.length === 64)
      throw new CloneRefused('sha256');
    // A filter leaves files out.
    if (each.lacks !== undefined || each.capability?.startsWith('filter=')) throw new CloneRefused('partial');
    if (each.ref !== undefined && each.oid !== undefined) refs.set(each.ref, each.oid);
  }
  const commit = refs.get('HEAD') ?? (new Set(refs.values()).size === 1 ? [...refs.values()][0] : undefined);
  if (commit === undefined) throw new CloneRefused('no_head');
  return { commit, pack: bundle.subarray(end + 2) };
}

/** For worker threads: it reads the whole pack. Git itself checks the objects where it lays them out. */
export function unbundle({ bundle, sentMs, maxBytes, maxFiles }: UnbundleJob): Packed {
  const { commit, pack } = headOf(Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength));
  inspectPack(pack, limitsOf({ maxBytes, maxFiles }));
  return { commit, modifiedMs: sentMs, packs: [pack] };
}
