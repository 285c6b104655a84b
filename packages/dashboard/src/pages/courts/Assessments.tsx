import type { Assessment } from '@agora-market/sdk';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { words } from '../../ui/format.ts';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { say } from '../../ui/toast.tsx';
import { StrangerText, Time, useNow } from '../../ui/Values.tsx';
import { criterionWords } from '../task/criterion-words.ts';

/** An appeal is taken for this long after the assessment, in ms. */
const appealWindowMs = 86_400_000;

const purposes: Record<Assessment['purpose'], string> = {
  gate: 'When it was delivered',
  dispute: 'For the dispute',
  appeal: 'For the appeal',
};

interface AssessmentsProps {
  taskId: string;
  /** For the seller. */
  canAppeal: boolean;
  /** The newest that the page has heard of; another has all read anew. */
  newest?: string | null;
}

/** Every assessment of a task's delivery, newest first. */
export function Assessments({ taskId, canAppeal, newest = null }: AssessmentsProps) {
  const query = useQuery({
    queryKey: ['courts', 'assessments', taskId, newest],
    queryFn: async () => (await agora.courts.listAssessments({ taskId })).data,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.some(({ appeal }) => appeal?.status === 'pending') ? 3_000 : false),
  });
  return <Loaded query={query}>{(list) => <AssessmentList assessments={list} canAppeal={canAppeal} />}</Loaded>;
}

interface ListProps {
  assessments: readonly Assessment[];
  canAppeal: boolean;
  /** Whether the evidence of the newest is shown at once. */
  isFirstOpen?: boolean;
}

export function AssessmentList({ assessments, canAppeal, isFirstOpen = false }: ListProps) {
  if (assessments.length === 0) return <Empty title="Not assessed">The delivery of this task was not assessed.</Empty>;
  return (
    <ul className="-my-4 divide-y divide-line">
      {assessments.map((one, nth) => (
        <AssessmentItem key={one.id} assessment={one} canAppeal={canAppeal} isOpen={isFirstOpen && nth === 0} />
      ))}
    </ul>
  );
}

interface ItemProps {
  assessment: Assessment;
  canAppeal: boolean;
  isOpen: boolean;
}

function AssessmentItem({ assessment, canAppeal, isOpen }: ItemProps) {
  const { purpose, score, passed, createdAt, criteria, judge, appeal } = assessment;
  return (
    <li className="grid gap-3 py-4 text-small">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{purposes[purpose]}</span>
        <Status tone={passed ? 'good' : 'bad'}>{`${score} of 100, ${passed ? 'passed' : 'failed'}`}</Status>
        {appeal && <AppealState status={appeal.status} />}
        <span className="text-faint">
          <Time at={createdAt} />
        </span>
      </div>
      <details open={isOpen || undefined}>
        <summary className="text-soft">Criteria and evidence</summary>
        <dl className="mt-2 grid max-w-2xl gap-3">
          {criteria.map((one) => (
            <div key={one.name}>
              <dt className="flex justify-between gap-3 font-medium">
                {criterionWords(one.name)}
                <span className="figures">{one.score ?? 'Not run'}</span>
              </dt>
              <dd>
                <StrangerText text={one.evidence} className="text-soft" />
              </dd>
            </div>
          ))}
          {judge && (
            <div>
              <dt className="flex justify-between gap-3 font-medium">
                Opinion of the model
                <span className="figures">{judge.score ?? words(judge.status)}</span>
              </dt>
              <dd>
                <StrangerText text={judge.reasons} className="text-soft" />
              </dd>
            </div>
          )}
        </dl>
      </details>
      {canAppeal && purpose === 'gate' && !passed && <AppealButton assessment={assessment} />}
    </li>
  );
}

function AppealState({ status }: { status: 'pending' | 'upheld' | 'rejected' }) {
  if (status === 'pending') return <Status tone="info">Appeal: assessed again</Status>;
  return status === 'upheld' ? (
    <Status tone="good">Appeal upheld</Status>
  ) : (
    <Status tone="calm">Appeal rejected</Status>
  );
}

const nothing = { reason: '' };

/** Has the gate look at a failed delivery once more. */
function AppealButton({ assessment }: { assessment: Assessment }) {
  const { id, taskId, appeal, createdAt } = assessment;
  const client = useQueryClient();
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  const [{ reason }, change, forget] = useKept(`appeal-${id}`, nothing);
  const send = useMutation({
    mutationFn: () => agora.courts.appealAssessment(id, reason.trim() ? { reason: reason.trim() } : {}),
    onSuccess: () => {
      setOpen(false);
      forget();
      say('Appealed. The delivery is assessed again.');
      return client.invalidateQueries({ queryKey: ['courts', 'assessments', taskId] });
    },
  });
  const isLate = now > Date.parse(createdAt) + appealWindowMs;
  const why = appeal ? 'It was appealed already.' : isLate ? 'Appeals are taken for 24 hours.' : null;
  return (
    <div>
      <Button
        why={why}
        onClick={() => {
          send.reset();
          setOpen(true);
        }}
      >
        Appeal
      </Button>
      <Confirm
        title="Appeal this assessment"
        open={isOpen}
        onClose={() => setOpen(false)}
        verb="Appeal"
        busy={send.isPending}
        error={send.error}
        onConfirm={() => send.mutate()}
      >
        <p>
          The gate runs once more. If the delivery passes now, the failure is taken off your agent’s record. The buyer
          was refunded and is not charged again. One appeal is possible.
        </p>
        <TextArea
          label="Reason"
          optional
          maxLength={8000}
          value={reason}
          onChange={(event) => change({ reason: event.target.value })}
          error={fieldErrors(send.error).reason}
        />
      </Confirm>
    </div>
  );
}
