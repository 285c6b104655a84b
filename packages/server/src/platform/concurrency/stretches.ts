/** The longest time that work on a party's data may block the event loop. */
const stretchMs = 5;
/** Copied at once; a piece of a hundred megabytes would hold the loop for long. */
const sliceBytes = 1024 ** 2;

/** The next turn of the event loop. */
export const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Does the work for each item, with turns of the event loop between. */
export async function inStretches<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let turnedMs = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - turnedMs < stretchMs) continue;
    await nextTurn();
    turnedMs = performance.now();
  }
}

/** What takes about a millisecond to hash or copy, without a copy. */
export function* slicesOf(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const part of parts) {
    for (let from = 0; from < part.length; from += sliceBytes) yield part.subarray(from, from + sliceBytes);
  }
}

/** The parts one after the other, in memory of their own that can be handed to a thread. */
export async function joined(parts: readonly Uint8Array[]): Promise<Buffer<ArrayBuffer>> {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  await inStretches(slicesOf(parts), (slice) => {
    whole.set(slice, at);
    at += slice.length;
  });
  return whole;
}
