import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { keepTask, warningsQuery } from '../../api/tasks.ts';
import { fieldErrors } from '../../ui/form.ts';
import { type Draft, problemsOf, submissionOf } from './draft.ts';

/** Sends the form that is kept as `name`. No second press, nor one after a lost reply, submits a second task. */
export function useSubmission(name: string, draft: Draft, forget: (sent: Draft) => void) {
  const navigate = useNavigate();
  const attempt = useAttempt(name);
  /** Presses in vain. */
  const [refusals, setRefusals] = useState(0);
  const mutation = useMutation({
    mutationFn: (sent: Draft) => {
      const body = submissionOf(sent);
      return agora.tasks.submit(body, { idempotencyKey: attempt.keyFor(body) });
    },
    onSuccess: ({ warnings, ...task }, sent) => {
      attempt.settle();
      queryClient.setQueryData(warningsQuery(task.id).queryKey, warnings);
      keepTask(task);
      forget(sent);
      void navigate({ to: '/tasks/$taskId', params: { taskId: task.id } });
    },
    onError: (error) => attempt.settle(error),
  });
  const problems = problemsOf(draft);
  const submit = () => {
    if (Object.keys(problems).length > 0) setRefusals((before) => before + 1);
    else if (!mutation.isPending) mutation.mutate(draft);
  };
  const isUnsure = !mutation.isPending && attempt.isOpen();
  const repeats = isUnsure && attempt.repeats(submissionOf(draft));
  return {
    submit,
    refusals,
    errors: refusals > 0 || mutation.error ? { ...fieldErrors(mutation.error), ...problems } : {},
    state: {
      isBusy: mutation.isPending,
      error: mutation.error,
      /** Whether a press repeats the last one, of which no reply came: what it holds may be held already. */
      repeats,
      /** Whether a press would submit another task than the last one, which may have been submitted. */
      mayBeSecond: isUnsure && !repeats,
    },
  };
}

/** What became of the last press, for the card that holds the button. */
export type SubmissionState = ReturnType<typeof useSubmission>['state'];
