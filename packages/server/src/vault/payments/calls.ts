import {
  ApiError,
  type Clock,
  type Encryption,
  ensure,
  type Logger,
  type Pool,
  withTimeout,
} from '../../platform/index.ts';
import type { PaymentProcessor, PayoutEvent } from './payment-processor.ts';
import type { PaymentGuard } from './velocity.ts';

export interface PaymentDeps {
  pool: Pool;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Null if none is configured. */
  processor: PaymentProcessor | null;
  /** Longest wait for the processor; `callTimeoutMs` by default. */
  processorTimeoutMs?: number;
  /** Handles the processor's news of payouts. News may be late, repeated and out of order. */
  takePayoutEvent?: (event: PayoutEvent, correlationId: string) => Promise<void>;
}

/** With what keeps stolen cards out. */
export interface GuardedDeps extends PaymentDeps {
  /** Names cards and bank accounts without storing them. */
  digest: Encryption['digest'];
  guard: PaymentGuard;
}

/** A caller gets an answer within 15 s, whatever the processor does. */
const callTimeoutMs = 14_000;

/** For one of several calls that a caller waits for: it takes no longer than this, or than `deps` allow. */
export const within = <D extends PaymentDeps>(deps: D, timeoutMs: number): D => ({
  ...deps,
  processorTimeoutMs: Math.min(deps.processorTimeoutMs ?? timeoutMs, timeoutMs),
});

export function requireProcessor({ processor }: Pick<PaymentDeps, 'processor'>): PaymentProcessor {
  ensure(processor, 'PROCESSOR_NOT_CONFIGURED');
  return processor;
}

/** Calls the processor for a limited time. Every failure there becomes PROCESSOR_ERROR; its cause goes to the log. */
export async function callProcessor<R>(
  deps: Pick<PaymentDeps, 'clock' | 'processorTimeoutMs'>,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const timeoutMs = deps.processorTimeoutMs ?? callTimeoutMs;
  const controller = new AbortController();
  // A processor that ignores the signal must not delay the request either.
  const giveUp = () => {
    const late = new Error(`The processor did not answer within ${timeoutMs} ms`);
    controller.abort(late);
    return late;
  };
  try {
    return await withTimeout(deps.clock, timeoutMs, work(controller.signal), giveUp);
  } catch (cause) {
    throw new ApiError('PROCESSOR_ERROR', undefined, {}, { cause });
  }
}
