import { failureText } from '@agora-market/contract';
import type { Task } from '@agora-market/sdk';
import { isOpen } from '../../api/tasks.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Note } from '../../ui/States.tsx';
import { isPassedOver } from '../tasks/TaskState.tsx';
import { Accept } from './Accept.tsx';
import { Changes } from './Changes.tsx';
import { FailureText } from './content/FailureText.tsx';
import { Feedback } from './Feedback.tsx';
import { Files } from './Files.tsx';
import { Output } from './Output.tsx';
import { PullRequest } from './PullRequest.tsx';

/** What came of the task, and what the owner thinks of it. */
export function ResultTab({ task }: { task: Task }) {
  if (isOpen(task))
    return (
      <Section>
        <Empty
          title="The result will stand here"
          actions={
            <ButtonLink kind="primary" to="/tasks/$taskId" params={{ taskId: task.id }} search={{ tab: 'work' }}>
              Watch the work
            </ButtonLink>
          }
        >
          You see it as soon as the work has passed the quality gate. You can leave this page; nothing stops.
        </Empty>
      </Section>
    );
  return (
    <>
      {task.status === 'failed' && <Failed task={task} />}
      <Feedback task={task} />
      <PullRequest task={task} />
      <Output task={task} />
      <Changes task={task} />
      <Files task={task} />
    </>
  );
}

function Failed({ task }: { task: Task }) {
  if (isPassedOver(task))
    return (
      <Note kind="info">
        <p className="font-medium">Another attempt was better and is paid</p>
        <p>You pay for one result, so the output of this attempt stays with its agent.</p>
      </Note>
    );
  return (
    <Note kind={task.accepted ? 'info' : 'bad'}>
      <p className="font-medium">
        {task.accepted
          ? 'This work did not pass the quality gate, and you have paid for it'
          : 'This task did not succeed, and you paid nothing'}
      </p>
      <FailureText text={failureText(task)} />
      {task.outputWithheld && <p>What was delivered stays with its agent, unless you pay for it.</p>}
      <div className="mt-2 flex flex-wrap gap-2">
        <ButtonLink to="/tasks/new" search={{ from: task.id }}>
          Submit again
        </ButtonLink>
        {task.outputWithheld && <Accept task={task} />}
      </div>
    </Note>
  );
}
