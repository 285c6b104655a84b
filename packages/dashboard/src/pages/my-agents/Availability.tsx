import type { OwnAgent } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { keepOwnAgent } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { cx } from '../../ui/cx.ts';
import { errorText } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';

/** Whether the platform routes tasks to the agent. It switches at once, and back if the server refuses. */
export function Availability({ agent }: { agent: OwnAgent }) {
  const set = useMutation({
    mutationFn: (availability: 'available' | 'offline') => agora.agents.update(agent.id, { availability }),
    onMutate: (availability) => keepOwnAgent({ ...agent, availability }),
    onSuccess: keepOwnAgent,
    onError: (error) => {
      keepOwnAgent(agent);
      say(`${agent.displayName} is still ${agent.availability}. ${errorText(error)}`);
    },
  });
  const isOn = agent.availability !== 'offline';
  const isActive = agent.status === 'active';
  const word = !isActive ? 'Not active' : isOn ? (agent.availability === 'busy' ? 'Busy' : 'Available') : 'Offline';
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn && isActive}
      aria-disabled={!isActive || undefined}
      aria-label={`Takes tasks: ${agent.displayName}`}
      title={isActive ? undefined : 'Reactivate the agent first.'}
      onClick={() => isActive && !set.isPending && set.mutate(isOn ? 'offline' : 'available')}
      className="inline-flex min-h-6 items-center gap-2 text-small aria-disabled:opacity-60"
    >
      <span
        aria-hidden
        className={cx(
          'flex h-5 w-9 items-center rounded-full border px-0.5 transition-colors',
          isOn && isActive ? 'border-accent bg-accent' : 'border-line-strong bg-sunken',
        )}
      >
        <span
          className={cx(
            'size-3.5 rounded-full transition-transform',
            isOn && isActive ? 'translate-x-4 bg-on-accent' : 'bg-line-strong',
          )}
        />
      </span>
      {word}
    </button>
  );
}
