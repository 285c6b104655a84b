import { useQuery } from '@tanstack/react-query';
import { Facts } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { Time } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';

/** Whether the server is up and ready, asked every 10 seconds. */
export function Health() {
  const operator = useOperator();
  const refetchInterval = 10_000;
  const health = useQuery({
    queryKey: ['operator', 'health'],
    queryFn: async () => operator.system.health(),
    refetchInterval,
  });
  const ready = useQuery({
    queryKey: ['operator', 'ready'],
    queryFn: async () => operator.system.ready(),
    refetchInterval,
  });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Section title="Process">
        <Loaded query={health}>
          {({ timestamp }) => (
            <Facts
              rows={[
                [
                  'State',
                  <Status key="state" tone="good">
                    Up
                  </Status>,
                ],
                ['Time of the server', <Time key="time" at={timestamp} exact />],
              ]}
            />
          )}
        </Loaded>
      </Section>
      <Section title="Readiness">
        <Loaded query={ready}>
          {({ sandbox, judge }) => (
            <Facts
              rows={[
                [
                  'Database',
                  <Status key="database" tone="good">
                    Answers
                  </Status>,
                ],
                [
                  'Sandboxes',
                  <Part key="sandbox" isOk={sandbox.available} detail={`${sandbox.driver}: ${sandbox.detail}`} />,
                ],
                ['Judge', <Part key="judge" isOk={judge.available} detail={judge.detail} />],
              ]}
            />
          )}
        </Loaded>
      </Section>
    </div>
  );
}

function Part({ isOk, detail }: { isOk: boolean; detail: string }) {
  return (
    <div className="grid justify-items-start gap-1">
      <Status tone={isOk ? 'good' : 'warn'}>{isOk ? 'Available' : 'Not available'}</Status>
      <span className="text-soft">{detail}</span>
    </div>
  );
}
