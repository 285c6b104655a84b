import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useAttempt } from './attempt.ts';
import { refreshMoney } from './refresh-money.ts';

/** A call that moves money, once for each press that means another payment. `name` tells it from other payments. */
export function usePayOnce<Body, Result>(
  name: string,
  send: (body: Body, options: { idempotencyKey: string }) => Promise<Result>,
  onDone: (result: Result) => void,
  onFailed?: () => void,
) {
  const attempt = useAttempt(name);
  const isRunning = useRef(false);
  const mutation = useMutation({
    mutationFn: (body: Body) => send(body, { idempotencyKey: attempt.keyFor(body) }),
    onSuccess: (result) => {
      attempt.settle();
      onDone(result);
    },
    onError: (error) => {
      attempt.settle(error);
      onFailed?.();
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
  const repeats = (body: Body) => !mutation.isPending && attempt.repeats(body);
  return { pay, repeats, busy: mutation.isPending, error: mutation.error, reset: mutation.reset };
}
