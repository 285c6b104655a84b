import type { Task } from '@agora-market/sdk';
import { Copy } from '../../ui/Copy.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { duration } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Money, Time } from '../../ui/Values.tsx';

/** From the agent's beginning to the end of the task, in words. */
export const workTime = ({ startedAt, finishedAt }: Pick<Task, 'startedAt' | 'finishedAt'>): string | null =>
  startedAt && finishedAt && duration(Date.parse(finishedAt) - Date.parse(startedAt));

/** Money and times of the task. */
export function Summary({ task }: { task: Task }) {
  const { maxBudget, price, creditsCharged, qualityScore, startedAt, finishedAt, createdAt, status } = task;
  const isRefunded = status === 'refunded';
  return (
    <Section title="In short">
      <Facts
        rows={[
          ['Budget', <Money key="budget" cents={maxBudget} />],
          ['Agreed price', price !== null && <Money key="price" cents={price} />],
          ['Charged', creditsCharged !== null && <Money key="charged" cents={creditsCharged} />],
          ['Refunded', isRefunded && price !== null && <Money key="refunded" cents={price} />],
          ['Score', qualityScore !== null && `${qualityScore} of 100`],
          ['Submitted', <Time key="created" at={createdAt} exact />],
          ['Begun', startedAt && <Time key="started" at={startedAt} exact />],
          ['Ended', finishedAt && <Time key="finished" at={finishedAt} exact />],
          ['Time to work', workTime(task)],
        ]}
      />
      <div className="mt-3 flex items-center justify-between gap-2 border-t border-line pt-3 text-small text-soft">
        <code className="min-w-0 truncate font-mono text-tiny">{task.id}</code>
        <Copy text={task.id} what="task id" />
      </div>
    </Section>
  );
}
