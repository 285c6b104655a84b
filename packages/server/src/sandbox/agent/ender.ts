/** How a sandbox is ended: once for all who ask, and again after a failure. */
export function ender(end: () => Promise<void>): () => Promise<void> {
  let ending: Promise<void> | undefined;
  return () => {
    ending ??= end().catch((error) => {
      ending = undefined;
      throw error;
    });
    return ending;
  };
}
