/** Contents of binary files, as Git writes them into a patch: deflated, in base 85. */

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
const values = new Int8Array(128).fill(-1);
for (const [value, digit] of [...digits].entries()) values[digit.charCodeAt(0)] = value;

/** `A` to `Z` for 1 to 26 bytes, `a` to `z` for 27 to 52. */
const bytesIn = (digit: number) => (digit >= 97 ? digit - 70 : digit - 64);

/** The deflated bytes of the lines from `start` to `end`. */
function packedOf(text: string, start: number, end: number): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(Math.ceil(((end - start) * 4) / 5));
  let length = 0;
  for (let at = start; at < end; ) {
    let left = bytesIn(text.charCodeAt(at));
    at += 1;
    while (left > 0 && at < end) {
      let value = 0;
      for (let nth = 0; nth < 5; nth += 1) value = value * 85 + Math.max(0, values[text.charCodeAt(at + nth)] ?? 0);
      at += 5;
      for (let shift = 24; shift >= 0 && left > 0; shift -= 8, left -= 1) packed[length++] = (value / 2 ** shift) & 255;
    }
    const next = text.indexOf('\n', at);
    at = next < 0 ? end : next + 1;
  }
  return packed.slice(0, length);
}

/** Null if it is not what the patch says, or longer than may be shown. */
export async function contentOf(
  text: string,
  { bytes, start, end }: { bytes: number; start: number; end: number },
  mostBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (bytes > mostBytes) return null;
  const content = new Uint8Array(bytes);
  let length = 0;
  try {
    const stream = new Blob([packedOf(text, start, end)]).stream().pipeThrough(new DecompressionStream('deflate'));
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // A few bytes can be made to unfold to gigabytes.
      if (length + part.value.length > bytes) {
        await reader.cancel();
        return null;
      }
      content.set(part.value, length);
      length += part.value.length;
    }
  } catch {
    return null;
  }
  return length === bytes ? content : null;
}
