import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type CloneReason, type CloneRefused, inspectPack } from './pack.ts';

const types = { commit: 1, tree: 2, blob: 3, ofsDelta: 6, refDelta: 7 };

/** Seven bits a byte, the lowest first. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(bytes);
  }
}

function object(type: keyof typeof types, content: Buffer, declared = content.length, base = Buffer.alloc(0)): Buffer {
  const first = (types[type] << 4) | (declared & 15);
  const more = Math.floor(declared / 16);
  const head = more > 0 ? Buffer.concat([Buffer.from([first | 128]), varint(more)]) : Buffer.from([first]);
  return Buffer.concat([head, base, deflateSync(content)]);
}

function pack(objects: Buffer[], count = objects.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  head.writeUInt32BE(count, 8);
  const body = Buffer.concat([head, ...objects]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

const limits = { maxBytes: 10_000, maxObjects: 20 };
const reason = (bytes: Buffer): CloneReason | 'none' => {
  try {
    inspectPack(bytes, limits);
    return 'none';
  } catch (error) {
    return (error as CloneRefused).reason;
  }
};
const blob = (bytes: number) => object('blob', Buffer.alloc(bytes));
/** A delta whose result says to be this large. */
const delta = (result: number) => Buffer.concat([varint(5), varint(result), Buffer.from([0x90, 5])]);

describe('a pack', () => {
  it('passes with objects of every kind and size', () => {
    const whole = [
      object('commit', Buffer.from('c')),
      object('tree', Buffer.alloc(0)),
      blob(15),
      blob(16),
      blob(5_000),
    ];
    const deltas = [
      object('ofsDelta', delta(2_000), undefined, Buffer.from([0x81, 0x02])),
      object('refDelta', delta(2_000), undefined, Buffer.alloc(20, 7)),
    ];
    expect(reason(pack([...whole, ...deltas]))).toBe('none');
    expect(reason(pack([]))).toBe('none');
  });

  it('is refused where its objects together, or one alone, are too large unpacked', () => {
    expect(reason(pack([blob(10_000)]))).toBe('none');
    expect(reason(pack([blob(10_001)]))).toBe('too_large');
    expect(reason(pack([blob(5_000), blob(5_001)]))).toBe('too_large');
    expect(reason(pack([blob(5_000_000)]))).toBe('too_large');
  });

  it('is refused where an object is larger or smaller than it says, and nothing past its word is unpacked', () => {
    expect(reason(pack([object('blob', Buffer.alloc(50_000_000), 10)]))).toBe('damaged');
    expect(reason(pack([object('blob', Buffer.alloc(10), 11)]))).toBe('damaged');
  });

  it('is refused where deltas make more than fits', () => {
    expect(reason(pack([object('refDelta', delta(10_001), undefined, Buffer.alloc(20))]))).toBe('too_large');
    const many = Array.from({ length: 6 }, () => object('refDelta', delta(2_000), undefined, Buffer.alloc(20)));
    expect(reason(pack(many))).toBe('too_large');
    expect(reason(pack([object('refDelta', varint(5), undefined, Buffer.alloc(20))]))).toBe('damaged');
  });

  it('is refused with too many objects, or with another number than it says', () => {
    expect(reason(pack(Array.from({ length: 21 }, () => blob(1))))).toBe('too_many_files');
    expect(reason(pack([blob(1)], 4_000_000_000))).toBe('too_many_files');
    expect(reason(pack([blob(1)], 2))).toBe('damaged');
    expect(reason(pack([blob(1), blob(1)], 1))).toBe('damaged');
  });

  it('is refused cut short at any byte', () => {
    const whole = pack([blob(100), object('ofsDelta', delta(9), undefined, Buffer.from([0x81, 0x02]))]);
    for (let length = 0; length < whole.length; length++) expect(reason(whole.subarray(0, length))).toBe('damaged');
  });

  it('is refused with any byte changed, or passes the look and is left to the check of its hash', () => {
    const whole = pack([blob(30), object('commit', Buffer.from('some text'))]);
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 0xff;
      expect(['damaged', 'too_large', 'too_many_files', 'none']).toContain(reason(changed));
    }
  });

  it('refuses lengths without end', () => {
    const endless = Buffer.concat([Buffer.from([0xb0]), Buffer.alloc(100, 0xff)]);
    expect(reason(pack([endless]))).toBe('damaged');
  });
});
