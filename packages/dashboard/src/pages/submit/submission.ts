import { AgoraError } from '@agora/sdk';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { agora, queryClient } from '../../api/client.ts';
import { keepTask, warningsQuery } from '../../api/tasks.ts';
import { fieldErrors } from '../../ui/form.ts';
import { type Draft, problemsOf, submissionOf } from './draft.ts';

/** Sends the form. A second press, or one after a lost reply, never submits a second task. */
export function useSubmission(draft: Draft, forget: () => void) {
  const navigate = useNavigate();
  const key = useRef<string | null>(null);
  const [isSent, setIsSent] = useState(false);
  const mutation = useMutation({
    mutationFn: () => {
      key.current ??= crypto.randomUUID();
      return agora.tasks.submit(submissionOf(draft), { idempotencyKey: key.current });
    },
    onSuccess: ({ warnings, ...task }) => {
      queryClient.setQueryData(warningsQuery(task.id).queryKey, warnings);
      keepTask(task);
      forget();
      void navigate({ to: '/tasks/$taskId', params: { taskId: task.id } });
    },
    onError: (error) => {
      // A clear refusal submitted nothing, and what is sent next may be another task.
      if (error instanceof AgoraError && error.status !== null && error.status < 500) key.current = null;
    },
  });
  const problems = problemsOf(draft);
  const submit = () => {
    setIsSent(true);
    if (Object.keys(problems).length === 0 && !mutation.isPending) mutation.mutate();
  };
  return {
    submit,
    isSent,
    isBusy: mutation.isPending,
    error: mutation.error,
    errors: isSent ? { ...fieldErrors(mutation.error), ...problems } : {},
  };
}
