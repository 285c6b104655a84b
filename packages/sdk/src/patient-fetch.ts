/** What Node's fetch sends requests with, here and in every release of undici that a program may have brought itself. */
interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

const globalDispatcher = Symbol.for('undici.globalDispatcher.1');
const sender = () => (globalThis as { [globalDispatcher]?: Dispatcher })[globalDispatcher];

/** Sends as Node's fetch does, through a proxy where the program has one, and waits for as long as its caller does. */
const patient: Dispatcher = {
  dispatch: (options, handler) => sender()!.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
};

/**
 * The global fetch, with no time limit of its own. Node's gives up after five minutes without a byte, and a command may
 * take longer; a call has the client's time limit. Browsers and other runtimes have no such dispatcher.
 */
export const patientFetch: typeof fetch = (input, init) =>
  fetch(input, sender() === undefined ? init : ({ ...init, dispatcher: patient } as RequestInit));
