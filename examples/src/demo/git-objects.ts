import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** One line of a directory. */
export interface Entry {
  mode: '40000' | '100644' | '100755' | '120000';
  name: string;
  id: string;
}

interface Commit {
  message: string;
  tree: string;
  parent: string | null;
}

const types = { commit: 1, tree: 2, blob: 3 } as const;

interface Stored {
  type: keyof typeof types;
  content: Buffer;
  /** Objects without which this one is of no use; of a commit only its tree. */
  needs: string[];
  parent: string | null;
}

const who = 'Ada <ada@example.com> 1767323045 +0000';

/** The objects of a repository, in memory: files, directories and commits, as git writes and names them. */
export class GitObjects {
  readonly #stored = new Map<string, Stored>();

  blob(content: Buffer): string {
    return this.#store({ type: 'blob', content, needs: [], parent: null });
  }

  tree(entries: Entry[]): string {
    // Git sorts a directory as if its name ended with a slash, and by bytes.
    const key = ({ mode, name }: Entry) => Buffer.from(mode === '40000' ? `${name}/` : name);
    const sorted = entries.toSorted((a, b) => Buffer.compare(key(a), key(b)));
    const lines = sorted.map(({ mode, name, id }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    );
    return this.#store({
      type: 'tree',
      content: Buffer.concat(lines),
      needs: entries.map(({ id }) => id),
      parent: null,
    });
  }

  commit({ message, tree, parent }: Commit): string {
    const head = [`tree ${tree}`, ...(parent ? [`parent ${parent}`] : []), `author ${who}`, `committer ${who}`];
    const content = Buffer.from(`${head.join('\n')}\n\n${message}\n`);
    return this.#store({ type: 'commit', content, needs: [tree], parent });
  }

  #store(object: Stored): string {
    const head = `${object.type} ${object.content.length}\0`;
    const id = createHash('sha1').update(head).update(object.content).digest('hex');
    this.#stored.set(id, object);
    return id;
  }

  isCommit(id: string): boolean {
    return this.#stored.get(id)?.type === 'commit';
  }

  /** All that the commits need, so many generations back, and the last of these, whose parents are left out. */
  reachable(commits: string[], depth: number): { ids: Set<string>; shallow: string[] } {
    const ids = new Set<string>();
    const shallow: string[] = [];
    const add = (id: string): Stored => {
      const object = this.#stored.get(id);
      if (!object) throw new Error(`There is no object ${id}`);
      if (!ids.has(id)) {
        ids.add(id);
        for (const needed of object.needs) add(needed);
      }
      return object;
    };
    for (let level = 1, front = commits; front.length > 0; level++) {
      const next: string[] = [];
      for (const id of front) {
        const { parent } = add(id);
        if (parent === null) continue;
        if (level < depth) next.push(parent);
        else shallow.push(id);
      }
      front = next;
    }
    return { ids, shallow };
  }

  /** The objects as a pack, each in full and none as a delta. */
  pack(ids: Set<string>): Buffer {
    const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
    head.writeUInt32BE(ids.size, 8);
    const parts: Buffer[] = [head];
    for (const id of ids) {
      const { type, content } = this.#stored.get(id) as Stored;
      parts.push(sizeAndType(types[type], content.length), deflateSync(content));
    }
    const body = Buffer.concat(parts);
    return Buffer.concat([body, createHash('sha1').update(body).digest()]);
  }
}

/** Four bits of the size beside the type, then seven a byte. */
function sizeAndType(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = size >>> 4; rest > 0; rest >>>= 7) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}
