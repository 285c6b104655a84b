// UUIDs in Crockford's base32, the last part of a TypeID (spec 0.3). Every reply has several: a fourth of the library's time.

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** The value of each character, by its code. */
const table = (digits: string) =>
  Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, digits.indexOf(String.fromCharCode(code))));
const hexValue = table('0123456789abcdef');
const base32Value = table(alphabet);
/** The text of each 10 bits in base32, and of each 8 bits in hexadecimal. */
const base32Pair = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`);
const hexPair = Array.from({ length: 256 }, (_, bits) => bits.toString(16).padStart(2, '0'));
const dash = 45;
/** Hexadecimal digits of a UUID, dashes included, after which a dash comes. */
const dashAfter = new Set([8, 13, 18, 23]);

/** A UUID in lower case as 26 characters: two bits of zero, then its 128. */
export function toBase32(uuid: string): string {
  let text = '';
  let bits = 0;
  let count = 2;
  for (let at = 0; at < uuid.length; at++) {
    const code = uuid.charCodeAt(at);
    if (code === dash) continue;
    bits = (bits << 4) | (hexValue[code] as number);
    count += 4;
    if (count < 10) continue;
    count -= 10;
    text += base32Pair[(bits >> count) & 1023];
  }
  return text;
}

/** The UUID of 26 such characters; they must have been checked. */
export function fromBase32(text: string): string {
  let uuid = '';
  let bits = 0;
  let count = -2;
  for (let at = 0; at < text.length; at++) {
    bits = (bits << 5) | (base32Value[text.charCodeAt(at)] as number);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    uuid += hexPair[(bits >> count) & 255];
    if (dashAfter.has(uuid.length)) uuid += '-';
  }
  return uuid;
}
