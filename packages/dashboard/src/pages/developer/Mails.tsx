import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Values.tsx';

/** In development: the mails to the own address, which are kept instead of sent. */
export function Mails() {
  const query = useQuery({
    queryKey: ['developer', 'mails'],
    queryFn: () => agora.auth.caughtMail(),
    refetchInterval: 5_000,
  });
  return (
    <Section
      title="Caught mail"
      lead="In development no mail leaves this machine: what would have been sent to you is here."
    >
      <Loaded query={query}>
        {({ catching, mails }) =>
          mails.length === 0 ? (
            <Empty title={catching ? 'No mail yet' : 'Mail is sent'}>
              {catching
                ? 'Sign-up, a forgotten password and notifications make some.'
                : 'This server has a mail service, so nothing is caught.'}
            </Empty>
          ) : (
            <ul className="-my-4 divide-y divide-line">
              {mails.map(({ subject, text, sentAt }) => (
                <li key={`${sentAt} ${subject}`} className="py-4">
                  <div className="flex flex-wrap justify-between gap-x-4">
                    <h3 className="min-w-0 font-medium [overflow-wrap:anywhere]">{subject}</h3>
                    <span className="text-small text-soft">
                      <Time at={sentAt} />
                    </span>
                  </div>
                  <MailText text={text} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

/** The text of a mail. Addresses that act on the account are links into this page, whatever name the server goes by. */
function MailText({ text }: { text: string }) {
  const parts = text.split(/(https?:\/\/\S+\/(?:verify-email|reset-password)#\S+)/);
  return (
    <p dir="auto" className="mt-1 text-small whitespace-pre-wrap text-soft [overflow-wrap:anywhere]">
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <a key={part} href={part.replace(/^\S+\//, '')} className="font-medium text-accent underline">
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </p>
  );
}
