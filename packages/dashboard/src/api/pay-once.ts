import { AgoraError } from '@agora/sdk';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { refreshMoney } from './refresh-money.ts';

/** Whether the server has refused for good, so that nothing moved. After any other failure it may have moved. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AgoraError && error.status !== null && [400, 402, 403, 404, 410, 422].includes(error.status);

/** Whether money may have moved although the call failed. */
export const mayHaveMoved = (error: unknown): boolean =>
  error instanceof AgoraError && (error.status === null || error.status >= 500);

/**
 * A call that moves money. As long as its outcome is not known, pressing again repeats the same call: one key stands
 * for one payment, so neither a double click nor a retry after a lost reply pays twice.
 */
export function usePayOnce<Body, Result>(
  send: (body: Body, options: { idempotencyKey: string }) => Promise<Result>,
  onDone: (result: Result) => void,
) {
  const attempt = useRef<{ text: string; idempotencyKey: string } | null>(null);
  const isRunning = useRef(false);
  const mutation = useMutation({
    mutationFn: (body: Body) => {
      const text = JSON.stringify(body);
      if (attempt.current?.text !== text) attempt.current = { text, idempotencyKey: crypto.randomUUID() };
      return send(body, { idempotencyKey: attempt.current.idempotencyKey });
    },
    onSuccess: (result) => {
      attempt.current = null;
      onDone(result);
    },
    onError: (error) => {
      if (isRefusal(error)) attempt.current = null;
    },
    onSettled: () => {
      isRunning.current = false;
      refreshMoney();
    },
  });
  const pay = (body: Body) => {
    // The button turns busy only with the next frame, which the second half of a double click may outrun.
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(body);
  };
  /** Whether paying this repeats a call whose outcome is not known: then a balance that has become too low is no reason. */
  const repeats = (body: Body) =>
    mayHaveMoved(mutation.error) && JSON.stringify(mutation.variables) === JSON.stringify(body);
  return { pay, repeats, busy: mutation.isPending, error: mutation.error, reset: mutation.reset };
}
