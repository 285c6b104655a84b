import { join, resolve } from 'node:path';
import { tryJudge } from '@agora-market/server/gate';
import { tryMail } from '@agora-market/server/mail';
import { type Config, systemClock } from '@agora-market/server/platform';
import { type Check, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

/** What others have told of the time: how far theirs is ahead of ours, in ms. */
export type Clocks = { of: string; aheadMs: number }[];

const answerMs = 10_000;
const mostBytes = 4 * 1024 ** 2;

interface Answer {
  status: number;
  body: unknown;
}

/** One GET without redirects, so that the key goes nowhere else; at most 4 MiB of JSON are read. */
async function getJson(url: string, key: string | undefined, note: (date: number) => void): Promise<Answer> {
  const response = await fetch(url, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(answerMs),
  });
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) note(date);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error('the reply is too long');
    chunks.push(chunk);
  }
  return { status: response.status, body: parsed(Buffer.concat(chunks).toString('utf8')) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A Date header has whole seconds; half of one is the likely rest. */
const noteIn = (clocks: Clocks, of: string) => (date: number) =>
  void clocks.push({ of, aheadMs: date + 500 - Date.now() });

/** Asks it about a delivery, as the gate does. */
export const checkJudge = (config: Config, clocks: Clocks): Check => ({
  name: 'judge',
  async run(): Promise<Finding> {
    const { JUDGE_BASE_URL, JUDGE_API_KEY, JUDGE_MODEL } = config;
    if (JUDGE_BASE_URL === undefined) {
      return warn('none: scores of 50 to 70 are paid as the rules score them', 'Set JUDGE_BASE_URL and JUDGE_MODEL.');
    }
    const url = `${JUDGE_BASE_URL.replace(/\/+$/, '')}/models`;
    const { host } = new URL(JUDGE_BASE_URL);
    try {
      const { status, body } = await getJson(url, JUDGE_API_KEY, noteIn(clocks, 'the judge'));
      if (status === 401 || status === 403)
        return fail(`${host} refuses the key (${status})`, 'Correct JUDGE_API_KEY.');
      const names = namesOf(body);
      // Some list no models, and some have more than they list.
      const wrong = await tryJudge(config, systemClock);
      if (wrong === null) return ok(`${JUDGE_MODEL} at ${host} gives verdicts`);
      const isUnlisted = status === 200 && names !== null && !names.includes(String(JUDGE_MODEL));
      const some = names?.slice(0, 5).join(', ');
      const cure = isUnlisted
        ? `Load it there, or set JUDGE_MODEL to one of: ${some || 'none yet'}.`
        : 'Set JUDGE_MODEL to a model that answers with JSON in JUDGE_CALL_MS.';
      return fail(`${JUDGE_MODEL} at ${host} was asked for a verdict, and ${wrong}`, cure);
    } catch (error) {
      return fail(`${host} does not answer: ${reasonOf(error)}`, 'Start it, or correct JUDGE_BASE_URL.');
    }
  },
});

function namesOf(body: unknown): string[] | null {
  const { data } = (body ?? {}) as { data?: unknown };
  return Array.isArray(data) ? data.map((each: { id?: unknown }) => String(each?.id)) : null;
}

type Payments = Pick<Config, 'AGORA_ENV' | 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>;

export const checkProcessor = (config: Payments, clocks: Clocks): Check => ({
  name: 'payments',
  async run(): Promise<Finding> {
    const { AGORA_ENV, STRIPE_SECRET_KEY, STRIPE_API_BASE = 'https://api.stripe.com' } = config;
    if (STRIPE_SECRET_KEY === undefined) {
      if (AGORA_ENV === 'development') return ok('the test processor, which charges nobody');
      return warn('none: nobody can top up or withdraw', 'Set STRIPE_SECRET_KEY.');
    }
    const { host, origin } = new URL(STRIPE_API_BASE);
    try {
      const { status, body } = await getJson(`${origin}/v1/balance`, STRIPE_SECRET_KEY, noteIn(clocks, 'Stripe'));
      if (status === 401) return fail(`${host} refuses the key`, 'Correct STRIPE_SECRET_KEY.');
      if (status >= 500) return fail(`${host} answers ${status}`, 'Try again; status.stripe.com tells of outages.');
      return judged(config, (body as { livemode?: boolean } | null)?.livemode === true);
    } catch (error) {
      return fail(`${host} does not answer: ${reasonOf(error)}`, 'Let this machine reach it, or see STRIPE_API_BASE.');
    }
  },
});

function judged({ AGORA_ENV, STRIPE_WEBHOOK_SECRET, STRIPE_SECRET_KEY }: Payments, isLive: boolean): Finding {
  // A restricted key may not read the balance; its own name tells the mode then.
  const live = isLive || /^[rs]k_live_/.test(String(STRIPE_SECRET_KEY));
  const told = `Stripe in ${live ? 'live' : 'test'} mode`;
  if (live && AGORA_ENV === 'development')
    return warn(`${told}, in development`, 'Real cards are charged. Use a test key.');
  if (!live && AGORA_ENV === 'production')
    return warn(`${told}, in production`, 'No real card is charged. Use a live key.');
  if (STRIPE_WEBHOOK_SECRET !== undefined) return ok(told);
  return warn(`${told}, without webhooks`, 'Set STRIPE_WEBHOOK_SECRET, so that refunds and disputes are heard of.');
}

/** Nobody gets a mail of it. */
export const checkMail = (config: Config): Check => ({
  name: 'mail',
  async run(): Promise<Finding> {
    const { SMTP_URL, AGORA_DATA_DIR } = config;
    try {
      const fate = await tryMail(config);
      if (fate === 'none') return warn('none: owners are told nothing by mail', 'Set SMTP_URL and MAIL_FROM.');
      if (fate === 'caught') return ok(`kept in ${join(resolve(AGORA_DATA_DIR), 'mail')} and sent to nobody`);
      return ok(`${new URL(String(SMTP_URL)).host} takes our connection`);
    } catch (error) {
      if (SMTP_URL === undefined) return fail(`it cannot be kept: ${reasonOf(error)}`, 'Set AGORA_DATA_DIR.');
      return fail(`${new URL(SMTP_URL).host} takes no mail: ${reasonOf(error)}`, 'Correct SMTP_URL.');
    }
  },
});
