/** The last bytes of an endless output. It takes memory as they come, and never more than `maxBytes`. */
export class OutputTail {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** All that ever came. */
  get total(): number {
    return this.#total;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#makeRoom(Math.min(this.#maxBytes, this.#total + bytes.length));
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#maxBytes));
    const start = (this.#total + bytes.length - kept.length) % this.#bytes.length;
    const copied = kept.copy(this.#bytes, start);
    kept.copy(this.#bytes, 0, copied);
    this.#total += bytes.length;
  }

  /** From the byte of this number, or the first that is kept. */
  read(after: number): { from: number; bytes: Buffer } {
    const from = Math.max(Math.min(after, this.#total), this.#total - this.#bytes.length, 0);
    const start = this.#bytes.length === 0 ? 0 : from % this.#bytes.length;
    const first = this.#bytes.subarray(start, start + this.#total - from);
    return { from, bytes: Buffer.concat([first, this.#bytes.subarray(0, this.#total - from - first.length)]) };
  }

  /** Until it is full, the buffer has not wrapped around, so its content is in order. */
  #makeRoom(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.min(this.#maxBytes, Math.max(needed, 2 * this.#bytes.length)));
    this.#bytes.copy(grown, 0, 0, this.#total);
    this.#bytes = grown;
  }
}
