import { createHash } from 'node:crypto';
import { type Form, parseForm, StripeFailure } from './wire.ts';

/** One request to the fake, as its routes see it. */
export interface FakeRequest {
  /** Values of the `:name` parts of the path. */
  params: Record<string, string>;
  /** The body, or the query of a GET. */
  form: Form;
  /** The connected account that the request is made for; null for the platform itself. */
  account: string | null;
}

/** Routes by `METHOD /path/:name`; the first that fits answers. */
export type FakeRoutes = Record<string, (request: FakeRequest) => object>;

export interface Reply {
  status: number;
  body: object;
}

export interface Arrived {
  method: string;
  url: URL;
  body: string;
  account: string | null;
  idempotencyKey: string | undefined;
}

const failure = (type: string, message: string): Reply => ({ status: 400, body: { error: { type, message } } });

/** Answers requests by the routes; a POST with an idempotency key is worked once. */
export function createAnswers(table: FakeRoutes) {
  const routes = compile(table);
  const kept = new Map<string, { print: string; reply: Reply }>();

  const work = ({ method, url, body, account }: Arrived): Reply => {
    const form = parseForm(method === 'GET' ? url.search.slice(1) : body);
    try {
      for (const { matches, run } of routes) {
        const params = matches(method, url.pathname);
        if (params) return { status: 200, body: structuredClone(run({ params, form, account })) };
      }
      throw new StripeFailure(404, {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${method}: ${url.pathname}).`,
      });
    } catch (error) {
      if (!(error instanceof StripeFailure)) throw error;
      return { status: error.status, body: structuredClone({ error: error.error }) };
    }
  };

  return {
    forgetKeys: () => kept.clear(),
    /** Stripe keeps the first reply to a key, failures too, and refuses the key with another body. */
    answer(arrived: Arrived): Reply {
      const { method, url, body, account, idempotencyKey: key } = arrived;
      if (method !== 'POST' || key === undefined) return work(arrived);
      const print = createHash('sha256').update(`${url.pathname}\n${account}\n${body}`).digest('hex');
      const known = kept.get(key);
      if (known && known.print !== print) {
        return failure('idempotency_error', 'The key was used with other parameters before.');
      }
      const reply = known?.reply ?? work(arrived);
      kept.set(key, { print, reply });
      return reply;
    },
  };
}

interface Compiled {
  matches(method: string, path: string): Record<string, string> | null;
  run: FakeRoutes[string];
}

function compile(routes: FakeRoutes): Compiled[] {
  return Object.entries(routes).map(([line, run]) => {
    const [method, path] = line.split(' ') as [string, string];
    const pattern = new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    return {
      run,
      matches: (givenMethod, givenPath) => {
        const found = givenMethod === method ? pattern.exec(givenPath) : null;
        return found && { ...found.groups };
      },
    };
  });
}
