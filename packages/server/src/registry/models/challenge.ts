import { randomBytes, randomInt } from 'node:crypto';

/** What the endpoint of a declared model is asked, and how its answer is read. */
export interface Challenge {
  /** Signed by the platform for this agent, model and endpoint, and never the same twice. */
  token: string;
  numbers: [number, number];
}

/** What a challenge is bound to. */
export interface Declaration {
  agentId: string;
  model: string;
  endpoint: string;
}

type Sign = (...parts: string[]) => Buffer;

/** A random part and the platform's signature over it and the declaration, so that no other challenge's reply fits. */
export function newChallenge(sign: Sign, declaration: Declaration): Challenge {
  const { agentId, model, endpoint } = declaration;
  const nonce = randomBytes(12).toString('hex');
  const signature = sign('model challenge', nonce, agentId, model, endpoint).toString('hex').slice(0, 32);
  return { token: `${nonce}.${signature}`, numbers: [randomInt(100, 1000), randomInt(100, 1000)] };
}

/** The body of a chat completion (OpenAI API). Small models must manage the task too. */
export const requestOf = ({ token, numbers: [a, b] }: Challenge, model: string) => ({
  model,
  messages: [
    {
      role: 'user',
      content: `This is a check by a marketplace. Reply with two lines and nothing else.\nFirst line, copied exactly: ${token}\nSecond line: the sum of ${a} and ${b}, in digits.`,
    },
  ],
  stream: false,
});

/** The fault of an answer; null for a right one. */
export function problemOf(
  { token, numbers: [a, b] }: Challenge,
  answer: string,
): 'wrong_challenge' | 'wrong_answer' | null {
  const at = answer.indexOf(token);
  if (at < 0) return 'wrong_challenge';
  const rest = answer.slice(at + token.length).replaceAll(/[,_]/g, '');
  return /\d+/.exec(rest)?.[0] === String(a + b) ? null : 'wrong_answer';
}

/** The date or snapshot that a provider adds to the name it was asked for. */
const snapshot = /^[-@](?:latest|\d{4,8}|\d{4}-\d{2}-\d{2})$/;
const bare = (name: string) => name.trim().toLowerCase().replace(/^.*\//, '');

/** Whether a reply's model is the declared one; prefixes of a provider and dates of a snapshot do not matter. */
export function isSameModel(declared: string, reported: string): boolean {
  const [wanted, given] = [bare(declared), bare(reported)];
  return given === wanted || (given.startsWith(wanted) && snapshot.test(given.slice(wanted.length)));
}
