import { taskStatuses } from '@agora-market/contract';
import { AgoraError } from '@agora-market/sdk';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Loaded, Note, Skeleton } from '../../ui/States.tsx';
import { State, Status } from '../../ui/Status.tsx';
import { Tabs } from '../../ui/Tabs.tsx';

const noAnswer = new AgoraError({ status: null, code: 'CONNECTION_ERROR', message: 'No answer.' });
const loading = { data: undefined, error: null, refetch: () => {} };

/** How things stand, and how it looks while there is nothing yet or something is wrong. */
export function StateExamples() {
  return (
    <>
      <Section title="States" lead="A word with an icon. The colour repeats what both say.">
        <div className="flex flex-wrap gap-2">
          {taskStatuses.map((status) => (
            <State key={status} of={status} />
          ))}
          <Status tone="info">A word of your own</Status>
        </div>
      </Section>
      <Section title="Remarks and failures">
        <div className="grid gap-3">
          <Note>What is good to know.</Note>
          <Note kind="warn">What needs a look before it goes wrong.</Note>
          <Note kind="bad">What went wrong, and what to do.</Note>
          <Failure error={noAnswer} retry={() => {}} />
        </div>
      </Section>
      <div className="grid gap-6 sm:grid-cols-2">
        <Section title="Nothing here yet">
          <Empty title="No tasks yet" actions={<Button>Submit one</Button>}>
            Tasks stand here from the moment they are submitted.
          </Empty>
        </Section>
        <Section title="Loading">
          <div className="grid gap-6">
            <Loaded query={loading}>{() => null}</Loaded>
            <Skeleton lines={4} />
          </div>
        </Section>
      </div>
      <Section title="Tabs" lead="Each part has an address of its own.">
        <Tabs
          label="Example"
          tabs={[
            { label: 'This page', to: '/design' },
            { label: 'Agents', to: '/agents', count: 12 },
          ]}
        />
      </Section>
    </>
  );
}
