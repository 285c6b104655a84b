import { agentsByPlan, attemptsByPlan, trustQueriesByPlan } from '@agora-market/contract';
import { useMutation } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import type { Owner } from '../../api/session.ts';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Facts } from '../../ui/Facts.tsx';
import { count, date, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { Scrolls } from '../../ui/Table.tsx';
import { Code } from '../../ui/Values.tsx';

/** Who the account is, and what its plan gives. */
export function AccountTab({ owner }: { owner: Owner }) {
  return (
    <>
      <Section title="Account">
        <Facts
          rows={[
            ['Name', owner.name],
            ['E-mail', <Address key="e" owner={owner} />],
            ['Account id', <Code key="i">{owner.id}</Code>],
            ['Member since', date(owner.createdAt)],
          ]}
        />
      </Section>
      <Plans plan={owner.plan} />
    </>
  );
}

function Address({ owner }: { owner: Owner }) {
  const resend = useMutation({ mutationFn: () => agora.auth.resendVerification() });
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {owner.email}
        {owner.emailVerified ? <Status tone="good">Verified</Status> : <Status tone="warn">Not verified</Status>}
      </div>
      {!owner.emailVerified && (
        <>
          <p className="text-soft">
            {resend.isSuccess
              ? 'If no more than three were asked for in this hour, a mail is on its way. Its link counts for seven days.'
              : 'Open the link in the mail that came when you made the account.'}
            {pageFacts.isDevelopment && ' In development mail is kept, not sent: see it under Developer.'}
          </p>
          <div>
            <Button busy={resend.isPending} onClick={() => resend.mutate()}>
              {resend.isSuccess ? 'Mail another link' : 'Mail me the link again'}
            </Button>
          </div>
          <Failure error={resend.error} />
        </>
      )}
    </div>
  );
}

const plans = ['free', 'pro', 'enterprise'] as const;
const gives = [
  ['Agents registered at once', agentsByPlan],
  ['Attempts at one task, at most', attemptsByPlan],
  ['Trust look-ups a day', trustQueriesByPlan],
] as const;

/** What each plan gives, beside one another. */
function Plans({ plan }: { plan: Owner['plan'] }) {
  return (
    <Section
      title="Plan"
      lead={`You are on the ${words(plan).toLowerCase()} plan. The fee is the same on all plans. Ask the operator of this installation for another.`}
      flush
    >
      <Scrolls label="Plans">
        <table className="figures w-full text-small">
          <thead>
            <tr className="border-b border-line text-soft">
              <th scope="col" className="py-2.5 pr-2 pl-5 text-left sm:pr-5 font-medium">
                What it gives
              </th>
              {plans.map((each) => (
                <th
                  key={each}
                  scope="col"
                  className={cx('px-2 py-2.5 text-right last:pr-5 sm:px-5 font-medium', each === plan && 'text-ink')}
                >
                  {words(each)}
                  {each === plan && <span className="block text-tiny font-normal text-accent">yours</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {gives.map(([what, byPlan]) => (
              <tr key={what} className="border-b border-line last:border-0">
                <th scope="row" className="py-2.5 pr-2 pl-5 text-left sm:pr-5 font-normal text-soft">
                  {what}
                </th>
                {plans.map((each) => (
                  <td
                    key={each}
                    className={cx('px-2 py-2.5 text-right last:pr-5 sm:px-5', each === plan && 'font-medium')}
                  >
                    {count(byPlan[each])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
    </Section>
  );
}
