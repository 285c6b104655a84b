/** A value that many ask for and that may be a moment old. */
export interface Recent<Value> {
  /** The value, at most this old. A caller during a read waits for that read. */
  get(): Promise<Value>;
  /** The next to ask has it read again. */
  expire(): void;
}

/**
 * Reads a value at most once in this many milliseconds. If a read fails, its callers get the error and the last value
 * stays.
 */
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
