import { onAbort } from '../abort.ts';

/** A bell that ends a pause. Rung while nobody waits, it ends the next pause at once. */
export class Bell {
  #rung = false;
  #listener: (() => void) | null = null;

  ring(): void {
    this.#rung = true;
    this.#listener?.();
  }

  /** Resolves after `ms`, when the bell rings, when `others` settle, or when the signal fires. */
  async wait(ms: number, signal: AbortSignal, others: Iterable<Promise<void>> = []): Promise<void> {
    if (!this.#rung && !signal.aborted) await this.#pause(ms, signal, others);
    this.#rung = false;
  }

  async #pause(ms: number, signal: AbortSignal, others: Iterable<Promise<void>>): Promise<void> {
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#listener = wake;
    const timer = setTimeout(wake, ms);
    const forget = onAbort(signal, wake);
    await Promise.race([woken, ...others]);
    clearTimeout(timer);
    forget();
    this.#listener = null;
  }
}
