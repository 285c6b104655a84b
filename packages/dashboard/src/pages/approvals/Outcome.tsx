import { ButtonLink } from '../../ui/Button.tsx';
import { Note } from '../../ui/States.tsx';
import { StrangerText, Time } from '../../ui/Values.tsx';
import type { ApprovalView } from './total.ts';

/** What became of a request. `elsewhere`: it was decided on another screen while this one showed it. */
export function Outcome({ approval, elsewhere }: { approval: ApprovalView; elsewhere: boolean }) {
  const { status, decidedAt, expiresAt, note, taskId } = approval;
  return (
    <div role="status" className="grid gap-3">
      <Note kind={status === 'approved' ? 'info' : 'warn'}>
        {elsewhere && status !== 'expired' && <p className="font-medium">This was decided on another screen.</p>}
        <p>
          {words[status]} <Time at={decidedAt ?? expiresAt} />.{' '}
          {status === 'approved' ? 'The task was submitted at once.' : 'Nothing was held or spent.'}
        </p>
        {note && (
          <>
            <p className="mt-2 text-soft">The reason given to the agent:</p>
            <StrangerText text={note} />
          </>
        )}
      </Note>
      {taskId && (
        <div>
          <ButtonLink kind="primary" to="/tasks/$taskId" params={{ taskId }}>
            Open the task
          </ButtonLink>
        </div>
      )}
    </div>
  );
}

const words = {
  pending: '',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Nobody decided in time, so it ended',
} as const;
