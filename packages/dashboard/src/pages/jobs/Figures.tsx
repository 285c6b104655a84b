import type { TaskFailure } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TextLink } from '../../ui/Button.tsx';
import { Figure } from '../../ui/Facts.tsx';
import { count } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Money } from '../../ui/Values.tsx';
import { dayOf } from '../tasks/filters.ts';
import { failureWords } from '../tasks/TaskState.tsx';
import { figuresQuery } from './jobs.ts';

const lately = 'in 30 days';
const monthMs = 30 * 86_400_000;
const lastMonth = () => dayOf(new Date(Date.now() - monthMs).toISOString());

/** What own agents have under way, and what came of the last 30 days; each figure leads to its rows. */
export function JobFigures({ agentId }: { agentId?: string | undefined }) {
  const query = useQuery(figuresQuery(agentId));
  const to = (search: { status?: string; failure?: string; from?: string | undefined }, children: ReactNode) => (
    <TextLink to="/jobs" search={{ ...(agentId && { agentId }), ...search }}>
      {children}
    </TextLink>
  );
  const from = lastMonth();
  return (
    <Section>
      <Loaded query={query} skeleton={<div className="skeleton h-66 lg:h-20" />}>
        {({ running, waiting, lastMonth: { delivered, failed, refunded, earned } }) => {
          const reasons = (Object.entries(failed) as [TaskFailure, number][]).filter(([, times]) => times > 0);
          const all = reasons.reduce((sum, [, times]) => sum + times, 0);
          return (
            <dl className="grid grid-cols-2 gap-x-6 gap-y-5 lg:grid-cols-5">
              <Figure label="Running">{to({ status: 'running' }, count(running))}</Figure>
              <Figure label="Waiting for acceptance">{to({ status: 'waiting' }, count(waiting))}</Figure>
              <Figure
                label={`Delivered ${lately}`}
                note={refunded > 0 && <>{to({ status: 'refunded', from }, `${count(refunded)} refunded`)} besides</>}
              >
                {to({ status: 'completed', from }, count(delivered))}
              </Figure>
              <Figure
                label={`Failed ${lately}`}
                note={
                  reasons.length > 0 && (
                    <ul>
                      {reasons.map(([reason, times]) => (
                        <li key={reason}>
                          {to({ failure: reason, from }, failureWords[reason][1])} {count(times)}
                        </li>
                      ))}
                    </ul>
                  )
                }
              >
                {to({ status: 'failed', from }, count(all))}
              </Figure>
              <Figure label={`Earned ${lately}`} note="after the fee and refunds">
                <TextLink to="/jobs" search={{ tab: 'earnings' }}>
                  <Money cents={earned} />
                </TextLink>
              </Figure>
            </dl>
          );
        }}
      </Loaded>
    </Section>
  );
}
