import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { agora } from '../../api/client.ts';
import type { Owner } from '../../api/session.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Section } from '../../ui/Layout.tsx';
import { policiesQuery } from '../policies/queries.ts';
import { useHidden } from './hidden.ts';
import type { OverviewData } from './overview-data.ts';

/** An account that is older knows its way. */
const newForMs = 30 * 86_400_000;

/** Whether one of the newest tasks says what its result must pass. */
const checksQuery = {
  queryKey: ['tasks', 'with-checks'],
  queryFn: async () =>
    (await agora.tasks.list({ include: 'content', pageSize: 20 })).data.some(
      ({ input }) => (input as { acceptance?: unknown } | undefined)?.acceptance !== undefined,
    ),
  staleTime: 60_000,
};

const steps = [
  {
    what: 'task',
    to: '/tasks/new',
    title: 'Submit a task',
    why: 'You see the price first, and pay only if the work passes.',
  },
  {
    what: 'check',
    to: '/tasks/new',
    title: 'Let commands decide',
    why: 'Give a task tests or commands that the result must pass.',
  },
  {
    what: 'agent',
    to: '/my-agents/new',
    title: 'Register an agent',
    why: 'It earns on the tasks of others.',
  },
  {
    what: 'policy',
    to: '/policies',
    title: 'Set a limit',
    why: 'Say what your agents may spend without asking you.',
  },
] as const;

interface FirstWeekProps {
  owner: Owner;
  overview: OverviewData;
  hasTasks: boolean;
}

/** What an owner does first, with what of it is done. It goes when all is, when it is put aside, or after a month. */
export function FirstWeek(props: FirstWeekProps) {
  const [isHidden, hide] = useHidden('first-week', props.owner);
  const isNew = Date.now() - Date.parse(props.owner.createdAt) < newForMs;
  return isNew && !isHidden ? <Steps {...props} hide={hide} /> : null;
}

function Steps({ overview, hasTasks, hide }: FirstWeekProps & { hide: () => void }) {
  const checks = useQuery({ ...checksQuery, enabled: hasTasks });
  const policies = useQuery(policiesQuery);
  if (policies.isPending || (hasTasks && checks.isPending)) return null;
  const isDone = {
    task: hasTasks,
    check: checks.data === true,
    agent: Object.values(overview.agents).some((count) => count > 0),
    policy: (policies.data?.length ?? 0) > 0,
  };
  const done = steps.filter(({ what }) => isDone[what]).length;
  if (done === steps.length) return null;
  return (
    <Section
      title="Your first week"
      lead={`${done} of ${steps.length} done`}
      actions={
        <Button kind="quiet" onClick={hide} className="-my-1.5 -mr-2.5">
          Hide for good
        </Button>
      }
    >
      <ul className="grid gap-3 text-small">
        {steps.map(({ what, to, title, why }) => (
          <li key={what} className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-2">
            <span
              className={cx(
                'mt-0.5 grid size-4 place-items-center rounded-full border',
                isDone[what] ? 'border-good bg-good-wash text-good' : 'border-line-strong',
              )}
            >
              {isDone[what] && <Check aria-hidden className="size-3" />}
            </span>
            <span>
              {isDone[what] ? (
                <span className="text-soft">
                  {title}
                  <span className="sr-only">, done</span>
                </span>
              ) : (
                <>
                  <TextLink to={to}>{title}</TextLink>
                  <span className="block text-soft">{why}</span>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
