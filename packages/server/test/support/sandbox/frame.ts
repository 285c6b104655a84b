/** A frame of the agent's protocol, as tests send it: length, type and id, then the payload. */
export function frame(type: number, id: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(payload.length + 5, 0);
  head.writeUInt8(type, 4);
  head.writeUInt32LE(id, 5);
  return Buffer.concat([head, payload]);
}
