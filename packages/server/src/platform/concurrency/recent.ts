/** A value that many ask for and that may be a moment old. */
export interface Recent<Value> {
  /** The value as it was at most so long ago. Whoever asks while it is being read waits for that. */
  get(): Promise<Value>;
  /** The next to ask has it read again. */
  expire(): void;
}

/** Reads a value at most once in so many milliseconds. Where a read fails, those who waited are told; the last value stays. */
export function recent<Value>(everyMs: number, first: Value, read: () => Promise<Value>): Recent<Value> {
  let value = first;
  let readMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  async function renew(): Promise<void> {
    readMs = performance.now();
    try {
      value = await read();
    } finally {
      reading = null;
    }
  }

  return {
    async get() {
      if (performance.now() - readMs >= everyMs) reading ??= renew();
      await reading;
      return value;
    },
    expire() {
      readMs = Number.NEGATIVE_INFINITY;
    },
  };
}
