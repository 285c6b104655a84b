import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/platform/index.ts';
import { createAnswers, type FakeRoutes, type Reply } from './answers.ts';
import { type Books, emptyBooks } from './books.ts';
import { cardPageRoutes } from './fake-card-pages.ts';
import { customerRoutes } from './fake-customers.ts';
import { paymentRoutes } from './fake-payments.ts';
import { type Deliveries, webhookDeliveries } from './fake-webhooks.ts';
import { readBody } from './wire.ts';

/** What goes wrong with requests; `path` chooses them by the beginning of their path. */
export interface Fault {
  kind: 'hang' | 'hang after' | '500 after' | '500 before' | '429' | 'garbage' | 'drop before' | 'drop after';
  path?: string;
  method?: string;
  /** What a garbage reply says. */
  text?: string;
  /** How many requests it hits; every one, unless told. */
  times?: number;
}

export interface StripeFake {
  url: string;
  secretKey: string;
  webhookSecret: string;
  /** Everything the fake has been told; tests read and change it. */
  books: Books;
  webhooks: Deliveries;
  /** Every request that arrived, as `METHOD /path`. */
  seen: string[];
  /** Requests that wait for their answer. */
  open(): number;
  fault(fault: Fault): void;
  /** Requests whose path begins so wait, before they are worked, until the returned function is called. */
  hold(path: string): () => void;
  /** POSTs whose path begins so are worked, and their replies wait until the returned function is called. */
  holdReplies(path: string): () => void;
  mend(): void;
  /** Idempotency keys are forgotten, as Stripe does after a day. */
  forgetKeys(): void;
  close(): Promise<void>;
}

/** A Stripe of our own: keeps customers, cards, charges and payouts in memory and answers as Stripe's API does. */
export async function startStripeFake(
  options: { now?: () => Date; moreRoutes?: (books: Books) => FakeRoutes } = {},
): Promise<StripeFake> {
  const books = emptyBooks(options.now ?? systemClock.now);
  const answers = createAnswers({
    ...customerRoutes(books),
    ...cardPageRoutes(books),
    ...paymentRoutes(books),
    ...options.moreRoutes?.(books),
  });
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const webhookSecret = `whsec_${randomBytes(12).toString('hex')}`;
  const webhooks = webhookDeliveries(books, webhookSecret);
  const seen: string[] = [];
  let open = 0;
  let faults: Fault[] = [];
  const [requests, replies] = [gate(), gate()];

  const takeFault = (method: string, path: string): Fault | undefined => {
    const fault = faults.find((one) => path.startsWith(one.path ?? '') && (one.method ?? method) === method);
    if (fault?.times !== undefined) fault.times -= 1;
    if (fault?.times === 0) faults = faults.filter((one) => one !== fault);
    return fault;
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url as string, 'http://fake');
    const method = request.method as string;
    const body = await readBody(request);
    seen.push(`${method} ${url.pathname}`);
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    if (request.headers.authorization !== `Bearer ${secretKey}`) {
      const message = `Invalid API Key provided: ${request.headers.authorization}`;
      return answer(response, { status: 401, body: { error: { type: 'invalid_request_error', message } } });
    }
    const account = request.headers['stripe-account'];
    const run = () =>
      answers.answer({
        method,
        url,
        body,
        account: typeof account === 'string' ? account : null,
        idempotencyKey: request.headers['idempotency-key'] as string | undefined,
      });
    await requests.passed(url.pathname);
    const fault = takeFault(method, url.pathname);
    if (fault) return spoil(response, fault, run);
    const reply = run();
    if (method === 'POST') await replies.passed(url.pathname);
    answer(response, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretKey,
    webhookSecret,
    books,
    webhooks,
    seen,
    open: () => open,
    fault: (fault) => {
      faults.push(fault);
    },
    hold: requests.hold,
    holdReplies: replies.hold,
    mend: () => {
      faults = [];
    },
    forgetKeys: answers.forgetKeys,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Where those whose path begins so wait once it is held. */
function gate() {
  let held: { path: string; until: Promise<void> } | undefined;
  return {
    passed: async (path: string) => {
      if (held && path.startsWith(held.path)) await held.until;
    },
    hold: (path: string) => {
      let letGo = () => {};
      const until = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      held = { path, until };
      return () => {
        held = undefined;
        letGo();
      };
    },
  };
}

function answer(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': `req_${randomBytes(7).toString('hex')}`,
    // The SDK obeys this header; Stripe sends it with what may be tried again.
    ...(status >= 500 && { 'stripe-should-retry': 'true' }),
  });
  response.end(JSON.stringify(body));
}

/** `after` faults do the work first, so that only the reply is lost. */
function spoil(response: ServerResponse, { kind, text }: Fault, run: () => Reply): void {
  if (kind.endsWith('after')) run();
  const failure = (status: number, message: string) =>
    answer(response, { status, body: { error: { type: 'api_error', message } } });
  if (kind.startsWith('drop')) response.destroy();
  else if (kind.startsWith('500')) failure(500, 'An unknown error occurred.');
  else if (kind === '429') failure(429, 'Too many requests.');
  else if (kind === 'garbage') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(text ?? '<html>Bad gateway</html>');
  }
}
