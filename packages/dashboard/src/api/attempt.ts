import { AgoraError } from '@agora-market/sdk';
import { useCallback, useMemo, useRef } from 'react';
import { readKept, usePlace, writeKept } from './kept.ts';

interface Attempt {
  text: string;
  idempotencyKey: string;
  /** When it was last sent, in ms. */
  at: number;
}

/** Pressing again after this long is meant as another call. The server would know the key for a day. */
const keptForMs = 10 * 60_000;

/** Refusals that tell nothing of the first call under the same key. */
const tellNothing = ['IDEMPOTENCY_KEY_REUSED', 'REPLY_UNAVAILABLE', 'RATE_LIMITED'];

/** Whether the server has refused, so that nothing was done. After any other failure it may have been. */
export const wasRefused = (error: unknown): boolean =>
  error instanceof AgoraError &&
  error.status !== null &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 429].includes(error.status) &&
  !tellNothing.includes(error.code);

/** Whether it may have been done although the call failed. */
export const mayHaveWorked = (error: unknown): boolean =>
  error instanceof AgoraError && (error.status === null || error.status >= 500);

/**
 * One idempotency key for one thing that costs money: as long as its outcome is not known, sending the same again
 * repeats the same call. Neither a double click, a lost reply, a closed dialog nor a reload pays twice.
 */
export function useAttempt(name: string) {
  const place = usePlace(`attempt.${name}`);
  const last = useRef<{ place: string; attempt: Partial<Attempt> }>(undefined);
  if (last.current?.place !== place) last.current = { place, attempt: readKept<Attempt>(place) };
  const keep = useCallback(
    (attempt: Attempt | null) => {
      last.current = { place, attempt: attempt ?? {} };
      writeKept(place, attempt);
    },
    [place],
  );
  return useMemo(() => {
    const repeats = (body: unknown): boolean => {
      const { text, at = 0 } = last.current?.attempt ?? {};
      return text === JSON.stringify(body) && Date.now() - at < keptForMs;
    };
    return {
      /** The key to send this body under. */
      keyFor(body: unknown): string {
        const known = repeats(body) && last.current?.attempt.idempotencyKey;
        const idempotencyKey = known || crypto.randomUUID();
        keep({ text: JSON.stringify(body), idempotencyKey, at: Date.now() });
        return idempotencyKey;
      },
      /** Whether sending this body repeats a call whose outcome is not known. */
      repeats,
      /** Whether the outcome of a call is not known, whatever its body. */
      isOpen: (): boolean => Date.now() - (last.current?.attempt.at ?? 0) < keptForMs,
      /** After the call: its outcome is known, unless the error leaves it open. */
      settle: (error?: unknown) => {
        if (error === undefined || wasRefused(error)) keep(null);
      },
    };
  }, [keep]);
}
