/** Opens something when it is first asked for, once. After a failure the next to ask has it tried again. */
export function whenNeeded<T>(open: () => Promise<T>): (() => Promise<T>) & { ifOpened(): Promise<T | undefined> } {
  let opened: Promise<T> | undefined;
  const get = () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  /** What was opened by now, if anything was. */
  return Object.assign(get, { ifOpened: async () => opened?.catch(() => undefined) });
}
