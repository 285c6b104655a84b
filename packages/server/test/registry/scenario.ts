import type { OperationId, Operations } from '@agora-market/contract';
import type { Sent, World } from '../api/requests.ts';
import type { FakeGitHub } from '../github/scene.ts';
import type { StripeFake } from '../stripe/fake.ts';

/** Servers whose surroundings fail, and switches of the payment processor. */
export interface Surroundings {
  /** Its sandboxes cannot be started. */
  withoutSandboxes: string;
  /** Its sandboxes start, and refuse everything afterwards. */
  withRefusingSandboxes: string;
  /** Its sandboxes are paused by its next sweep once they have done anything, and not resumed. */
  withTinyQuota: string;
  /** Its owners may have stored a mebibyte each. */
  withLittleStorage: string;
  sweepTinyQuota(): Promise<void>;
  /** No task may wait for an agent there. */
  withoutQueue: string;
  withoutProcessor: string;
  /** It limits what is paid in and out within a day. */
  withLimits: string;
  /** Its processor is this Stripe, of which it has one charge. */
  withStripe: string;
  stripe: StripeFake;
  /** It knows this GitHub. */
  withGitHub: string;
  github: FakeGitHub;
  /** Its owners must verify their addresses. */
  withVerification: string;
  /** It challenges browsers. */
  withCaptcha: string;
  breakProcessor(): void;
  refusePayouts(): void;
  /** The next charge waits until the returned function is called. */
  holdCharge(): () => void;
}

/** Errors that are brought about in the same way for every operation; `contract-errors.test.ts` does. */
export const generic = [
  'VALIDATION_ERROR',
  'NOT_A_PARTY',
  'NOT_AGENT_OWNER',
  'TASK_NOT_FOUND',
  'TOKEN_NOT_FOUND',
  'ASSESSMENT_NOT_FOUND',
] as const;

type Declared<Id extends OperationId> = Exclude<Operations[Id]['errors'][number], (typeof generic)[number]>;
type Scenario = (world: World, around: Surroundings) => Promise<Sent>;

/** One scenario for every error that an operation declares: the types refuse a table with a gap. */
export type Scenarios = {
  [Id in OperationId as [Declared<Id>] extends [never] ? never : Id]: Record<Declared<Id>, Scenario>;
};

export const json = (body: unknown) => ({ body: JSON.stringify(body) });
export const at = (path: string) => ({ path: `/api/v1${path}` });
export const bearer = ({ token }: { token: string }) => ({ headers: { authorization: `Bearer ${token}` } });
