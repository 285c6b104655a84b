/** Pictures that browsers draw, by how their content begins: a name says nothing. */
const beginnings: readonly (readonly [type: string, at: number, bytes: readonly number[]])[] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
  ['image/avif', 4, [0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69, 0x66]],
  ['image/bmp', 0, [0x42, 0x4d]],
  ['image/x-icon', 0, [0, 0, 1, 0]],
];

export const pictureType = (content: Uint8Array): string | null =>
  beginnings.find(([, at, bytes]) => bytes.every((byte, nth) => content[at + nth] === byte))?.[0] ?? null;

/** A few bytes of a picture can stand for more points than a browser should unpack. */
const mostPoints = 50_000_000;

/** Whether a picture says of itself that it is small enough; those whose size stands deeper are taken by their bytes. */
export function isSmallEnough(content: Uint8Array<ArrayBuffer>): boolean {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (content.length < 30) return true;
  const points = {
    'image/png': () => view.getUint32(16) * view.getUint32(20),
    'image/gif': () => view.getUint16(6, true) * view.getUint16(8, true),
    'image/bmp': () => Math.abs(view.getInt32(18, true) * view.getInt32(22, true)),
    'image/jpeg': () => jpegPoints(view),
    'image/webp': () => webpPoints(view),
  }[pictureType(content) ?? ''];
  return (points?.() ?? 0) <= mostPoints;
}

/** From the frame's head, behind other parts of the file. */
function jpegPoints(view: DataView): number {
  for (let at = 2; at + 9 < view.byteLength; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return view.getUint16(at + 5) * view.getUint16(at + 7);
    at += 2 + view.getUint16(at + 2);
  }
  return 0;
}

function webpPoints(view: DataView): number {
  const form = view.getUint8(15);
  const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536 + 1;
  // VP8X, VP8L and VP8.
  if (form === 0x58) return three(24) * three(27);
  if (form === 0x4c) {
    const bits = view.getUint32(21, true);
    return ((bits & 0x3fff) + 1) * (((bits >> 14) & 0x3fff) + 1);
  }
  return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff);
}
