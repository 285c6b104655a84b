import type { Task } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { warningsQuery, warningText } from '../../api/tasks.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { TextLink } from '../../ui/Button.tsx';
import { Columns } from '../../ui/Facts.tsx';
import { words } from '../../ui/format.ts';
import { Page } from '../../ui/Layout.tsx';
import { Note } from '../../ui/States.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { useCalmly } from '../../ui/use-calmly.ts';
import { Time } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import { TaskState } from '../tasks/TaskState.tsx';
import { Actions } from './Actions.tsx';
import { AssessmentTab } from './AssessmentTab.tsx';
import { Attempts } from './Attempts.tsx';
import { ChangesTab } from './Changes.tsx';
import { Live } from './Live.tsx';
import { useLiveTask } from './live.ts';
import { MessagesTab } from './MessagesTab.tsx';
import { ReceiptTab } from './ReceiptTab.tsx';
import { ResultTab } from './ResultTab.tsx';
import { Summary } from './Summary.tsx';
import { Timeline } from './Timeline.tsx';
import { WorkTab } from './WorkTab.tsx';

const route = getRouteApi('/owner/tasks/$taskId');

const tabs = {
  changes: ChangesTab,
  work: WorkTab,
  messages: MessagesTab,
  assessment: AssessmentTab,
  receipt: ReceiptTab,
};
const isTab = (text: string | undefined): text is keyof typeof tabs => text !== undefined && text in tabs;

/** One task: what it is, how it goes, and what came of it. */
export function TaskPage() {
  const { taskId } = route.useParams();
  const { data: task, error, refetch, hasStream } = useLiveTask(taskId);
  const isShown = useCalmly(task !== undefined);
  if (!task) return error ? <FailedPage error={error} reset={() => void refetch()} /> : <PageSkeleton />;
  if (!isShown) return <PageSkeleton />;
  return <Shown key={taskId} task={task} hasStream={hasStream} />;
}

function Shown({ task, hasStream }: { task: Task; hasStream: boolean }) {
  const { tab } = route.useSearch();
  const Tab = isTab(tab) ? tabs[tab] : ResultTab;
  const target = { to: '/tasks/$taskId', params: { taskId: task.id } } as const;
  return (
    <Page
      title={task.title}
      lead={<Lead task={task} />}
      actions={<Actions task={task} />}
      back={<Link to="/tasks">Tasks</Link>}
      wide={Tab === ChangesTab}
    >
      <Warnings taskId={task.id} inputWarnings={task.inputWarnings} />
      <Waiting task={task} />
      <Live task={task} hasStream={hasStream} />
      <Attempts task={task} />
      <Tabs
        label="Parts of the task"
        tabs={[
          { label: 'Result', ...target, search: {} },
          { label: 'Changes', ...target, search: { tab: 'changes' }, current: Tab === ChangesTab },
          { label: 'Work', ...target, search: { tab: 'work' } },
          { label: 'Messages', ...target, search: { tab: 'messages' } },
          { label: 'Assessment', ...target, search: { tab: 'assessment' } },
          { label: 'Receipt', ...target, search: { tab: 'receipt' } },
        ]}
      />
      {Tab === ChangesTab ? (
        <ChangesTab task={task} />
      ) : (
        <Columns
          aside={
            <div className="screen-only grid gap-6">
              <Summary task={task} />
              <Timeline task={task} />
            </div>
          }
        >
          <Tab task={task} />
        </Columns>
      )}
    </Page>
  );
}

function Lead({ task }: { task: Task }) {
  const { status, failure, taskType, agentId, createdAt } = task;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
      <span aria-live="polite">
        <TaskState status={status} failure={failure} />
      </span>
      <span>{words(taskType)}</span>
      <span className="screen-only">
        <Time at={createdAt} />
      </span>
      {/* The name comes later than the rest: on a phone it has a row of its own, so that nothing moves then. */}
      {agentId && (
        <span className="max-sm:basis-full max-sm:truncate">
          by <AgentLink agentId={agentId} />
        </span>
      )}
    </span>
  );
}

/** The agent cannot go on without its owner's word. */
function Waiting({ task: { id, waitingUntil } }: { task: Task }) {
  if (waitingUntil === null) return null;
  return (
    <Note kind="warn">
      The agent waits for your answer until <Time at={waitingUntil} exact />.{' '}
      <TextLink to="/tasks/$taskId" params={{ taskId: id }} search={{ tab: 'messages' }}>
        Answer it
      </TextLink>
    </Note>
  );
}

/** What the submission was warned of. */
function Warnings({ taskId, inputWarnings }: { taskId: string; inputWarnings: readonly string[] }) {
  const { data = [] } = useQuery(warningsQuery(taskId));
  const ofClone = inputWarnings.map((message) => ({ path: 'input.repo', message }));
  return [...data, ...ofClone].map(({ path, message }) => (
    <Note key={path + message} kind="warn">
      {warningText(message)}
    </Note>
  ));
}
