import type { Task } from '@agora-market/sdk';
import { Note } from '../../ui/States.tsx';
import { SafeLink } from './SafeLink.tsx';

/** What became of the pull request that the task asked for. */
export function PullRequest({ task: { pullRequest } }: { task: Task }) {
  if (!pullRequest) return null;
  const { status, url, message } = pullRequest;
  if (status === 'pending') return <Note>The pull request is being opened.</Note>;
  if (status === 'failed')
    return (
      <Note kind="warn">
        <p className="font-medium">No pull request could be opened</p>
        {message && <p>{message}</p>}
      </Note>
    );
  return (
    <Note>
      <p className="font-medium">A pull request is open</p>
      {url && <SafeLink href={url} />}
    </Note>
  );
}
