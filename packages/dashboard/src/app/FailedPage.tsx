import { AgoraError } from '@agora-market/sdk';
import { ButtonLink } from '../ui/Button.tsx';
import { Page } from '../ui/Layout.tsx';
import { Empty, Failure } from '../ui/States.tsx';

/** Codes of what belongs to somebody else. */
const isOfOthers: ReadonlySet<string> = new Set(['NOT_A_PARTY', 'NOT_AGENT_OWNER']);

/** Stands in the place of a page that failed. */
export function FailedPage({ error, reset }: { error: unknown; reset?: () => void }) {
  if (error instanceof AgoraError && error.status === 404) return <NotFoundPage text={error.message} />;
  if (error instanceof AgoraError && isOfOthers.has(error.code))
    return <NotFoundPage text="You have no access to this." />;
  return (
    <Page title="This page could not be shown">
      <Failure error={error} retry={reset ?? (() => location.reload())} />
    </Page>
  );
}

/** Nothing is at this address. */
export function NotFoundPage({ text }: { text?: string }) {
  return (
    <Page title="Not found">
      <Empty title={text ?? 'There is no page at this address.'} actions={<ButtonLink to="/">To the start</ButtonLink>}>
        The link may be old, or it belongs to another account.
      </Empty>
    </Page>
  );
}
