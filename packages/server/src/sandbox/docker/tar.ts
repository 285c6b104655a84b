/** Just enough of the ustar format to hand an engine a few files of root's. */

export interface TarEntry {
  /** Relative; a directory's ends in a slash. At most 100 bytes. */
  path: string;
  mode: number;
  content?: Buffer;
  /** Where a symbolic link leads. */
  link?: string;
}

const BLOCK = 512;

function header({ path, mode, content, link }: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  block.write(path, 0, 100, 'utf8');
  block.write(octal(mode, 8), 100, 'latin1');
  for (const at of [108, 116]) block.write(octal(0, 8), at, 'latin1');
  block.write(octal(content?.length ?? 0, 12), 124, 'latin1');
  block.write(octal(0, 12), 136, 'latin1');
  // The checksum counts itself as blanks.
  block.write(' '.repeat(8), 148, 'latin1');
  block.write(link ? '2' : path.endsWith('/') ? '5' : '0', 156, 'latin1');
  block.write(link ?? '', 157, 100, 'utf8');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

export function encodeTar(entries: TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = entry.content ?? Buffer.alloc(0);
    return [header(entry), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}
