/** Notes how to close what was just opened: several in this order, and all of them before what was noted earlier. */
export type AtEnd = (...closings: (() => unknown)[]) => void;

/**
 * Gives what `open` gives, with the `close` that ends all that was opened for it, the latest first. Where `open` fails on
 * its way, what it has opened by then is closed before the error is passed on. A closing that fails is told to `failed`,
 * and the others follow all the same.
 */
export async function openInOrder<R extends object>(
  failed: (error: unknown) => void,
  open: (atEnd: AtEnd) => Promise<R>,
): Promise<R & { close(): Promise<void> }> {
  const closings: (() => unknown)[] = [];
  const closeAll = async () => {
    for (const close of closings) await Promise.resolve().then(close).catch(failed);
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeAll();
    return closed;
  };
  try {
    return { ...(await open((...latest) => closings.unshift(...latest))), close };
  } catch (error) {
    await close();
    throw error;
  }
}
