import type { Task } from '@agora/sdk';
import { isOpen } from '../../api/tasks.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Note } from '../../ui/States.tsx';
import { StrangerText } from '../../ui/Values.tsx';
import { isPassedOver } from '../tasks/TaskState.tsx';
import { Feedback } from './Feedback.tsx';
import { Files } from './Files.tsx';
import { Output } from './Output.tsx';
import { PullRequest } from './PullRequest.tsx';

/** What came of the task, and what the owner thinks of it. */
export function ResultTab({ task }: { task: Task }) {
  if (isOpen(task))
    return (
      <Section>
        <Empty title="The result will stand here">
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
      <Files task={task} />
    </>
  );
}

function Failed({ task }: { task: Task }) {
  const passedOver = isPassedOver(task);
  return (
    <Note kind={passedOver ? 'info' : 'bad'}>
      <p className="font-medium">
        {passedOver ? 'Another attempt was better and is paid' : 'This task did not succeed, and you paid nothing'}
      </p>
      {passedOver ? (
        <p>You pay for one result, so the output of this attempt stays with its agent.</p>
      ) : (
        task.errorMessage && <StrangerText text={task.errorMessage} />
      )}
      {!passedOver && (
        <ButtonLink to="/tasks/new" search={{ from: task.id }} className="mt-2">
          Submit again
        </ButtonLink>
      )}
    </Note>
  );
}
