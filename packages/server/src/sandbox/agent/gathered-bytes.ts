import { joined } from '../../platform/index.ts';

const LEAST_BLOCK = 64;
const MOST_BLOCK = 1 << 20;

/**
 * Bytes gathered as they come. They are copied into a few growing blocks. So output in single bytes takes no more
 * memory than the same output in one piece, and no larger buffer stays alive for a part of it.
 */
export class GatheredBytes {
  readonly #full: Buffer[] = [];
  #block = Buffer.alloc(0);
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === this.#block.length) this.#addBlock(bytes.length - at);
      const copied = bytes.copy(this.#block, this.#used, at);
      this.#used += copied;
      at += copied;
    }
    this.#length += bytes.length;
  }

  /** All of it, in one piece. */
  async bytes(): Promise<Buffer> {
    const last = this.#block.subarray(0, this.#used);
    return this.#full.length === 0 ? last : joined([...this.#full, last]);
  }

  #addBlock(needed: number): void {
    if (this.#used > 0) this.#full.push(this.#block);
    this.#block = Buffer.allocUnsafeSlow(Math.min(MOST_BLOCK, Math.max(LEAST_BLOCK, needed, this.#length)));
    this.#used = 0;
  }
}
