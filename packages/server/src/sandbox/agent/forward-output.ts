import type { OutputChunk } from '../driver.ts';
import { FRAME_COST, type OpenRequest, type OutputStream } from './client.ts';
import { GatheredBytes } from './gathered-bytes.ts';

/** A longer one would keep the reader waiting for its end. */
const MOST_BYTES = 64 * 1024;

interface Waiting {
  stream: OutputStream;
  gathered: GatheredBytes;
  /** Size that it counts in the window. */
  cost: number;
}

/**
 * Forwards the output of one command to a slow sink. Output that arrives meanwhile is collected, so many small writes
 * become few large chunks.
 */
export class HandOn {
  readonly #sink: (chunk: OutputChunk) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #open: Pick<OpenRequest, 'grant' | 'kill'> | undefined;
  #running: Promise<void> | undefined;

  constructor(sink: (chunk: OutputChunk) => Promise<void>) {
    this.#sink = sink;
  }

  /** Of the request whose output it is: more is granted as the sink takes it, and it is killed when the sink fails. */
  begin(open: Pick<OpenRequest, 'grant' | 'kill'>): void {
    this.#open = open;
  }

  take(stream: OutputStream, bytes: Buffer): void {
    const last = this.#waiting.at(-1);
    const cost = bytes.length + FRAME_COST;
    if (last?.stream === stream && last.gathered.length + bytes.length <= MOST_BYTES) {
      last.gathered.append(bytes);
      last.cost += cost;
    } else {
      const gathered = new GatheredBytes();
      gathered.append(bytes);
      this.#waiting.push({ stream, gathered, cost });
    }
    this.#running ??= this.#run();
    // Waited for in `done`; meanwhile a sink that fails has nobody to write for.
    this.#running.catch(() => this.#open?.kill());
  }

  /** Resolves when the sink has taken everything; rejects with its failure. */
  async done(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#sink({ stream: next.stream, bytes: await next.gathered.bytes() });
      this.#open?.grant(next.cost);
    }
    this.#running = undefined;
  }
}
