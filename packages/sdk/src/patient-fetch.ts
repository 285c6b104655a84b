/** What Node's fetch sends requests with, and what an undici of the program's own has put in its place. */
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
  isMockActive?: boolean;
}

const placeOf = (version: number) =>
  (globalThis as unknown as Record<symbol, Dispatcher | undefined>)[Symbol.for(`undici.globalDispatcher.${version}`)];
const sender = () => placeOf(1);

/** Sends as Node's fetch does, through a proxy where the program has one, and waits for as long as its caller does. */
const patient: Dispatcher = {
  dispatch(options, handler) {
    // Since its eighth release undici has a place of its own for those that take what it makes.
    const given = ('onRequestStart' in handler ? placeOf(2) : undefined) ?? sender();
    return given!.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
  get isMockActive() {
    return sender()?.isMockActive ?? false;
  },
};

/**
 * The global fetch, with no time limit of its own. Node's gives up after five minutes without a byte, and a command may
 * take longer. For calls that have the client's time limit to the end of their reply. Browsers and other runtimes have no
 * such dispatcher.
 */
export const patientFetch: typeof fetch = (input, init) =>
  fetch(input, sender() === undefined ? init : ({ ...init, dispatcher: patient } as RequestInit));
