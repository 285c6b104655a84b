import { terminalStatuses } from '@agora-market/contract';
import { AgoraError, type OwnerStreamEvent } from '@agora-market/sdk';
import { useEffect } from 'react';
import { atMostEvery } from './at-most-every.ts';
import { agora } from './client.ts';
import { unreadQuery } from './notifications.ts';
import { setHasStream } from './poll.ts';
import { queryClient } from './query-client.ts';
import { refreshMoney } from './refresh-money.ts';
import { noteChanged } from './told.ts';

/** Lists are read so often at most, however much changes; approvals, which the server counts, more rarely. */
const listsEveryMs = 5_000;
const approvalsEveryMs = 10_000;
/** What is said changes no state of a task, so any news of one may be a message. */
const inboxEveryMs = 5_000;
/** After the SDK has given up, which takes a minute. */
const tryAgainMs = 60_000;

const listKeys = [['tasks', 'newest'], ['tasks', 'overview'], ['jobs'], ['overview'], ['vault'], ['inbox']];

function refreshLists(): void {
  for (const queryKey of listKeys.slice(0, 3)) void queryClient.invalidateQueries({ queryKey });
  refreshMoney();
}

/** What was told of tasks last. A note of progress changes nothing that a list shows. */
class LastTold {
  readonly #states = new Map<string, string>();

  isNews({ id, status, agentId }: { id: string; status: string; agentId: string | null }): boolean {
    const state = `${status} ${agentId}`;
    const isNews = this.#states.get(id) !== state || (terminalStatuses as readonly string[]).includes(status);
    if (this.#states.size > 1_000) this.#states.clear();
    this.#states.set(id, state);
    return isNews;
  }
}

/** Follows the stream until it breaks for good. */
async function follow(signal: AbortSignal): Promise<void> {
  const refreshListsSoon = atMostEvery(listsEveryMs, refreshLists, signal);
  const refreshApprovals = () => void queryClient.invalidateQueries({ queryKey: ['approvals'] });
  const refreshApprovalsSoon = atMostEvery(approvalsEveryMs, refreshApprovals, signal);
  const refreshInbox = () => void queryClient.invalidateQueries({ queryKey: ['inbox'] });
  const refreshInboxSoon = atMostEvery(inboxEveryMs, refreshInbox, signal);
  const last = new LastTold();
  // What is read while the stream is asked for is read beside it, and once.
  let missedBefore = Date.now();
  const hear = (told: OwnerStreamEvent) => {
    if (told.event === 'reset') {
      setHasStream(true);
      readAnew(missedBefore);
      missedBefore = Number.POSITIVE_INFINITY;
    } else if (told.event === 'notifications') {
      const before = queryClient.getQueryData(unreadQuery.queryKey);
      queryClient.setQueryData(unreadQuery.queryKey, told.data.unread);
      // A request for approval is told as a notification, and so is a ruling.
      if (before === undefined || told.data.unread <= before) return;
      refreshApprovalsSoon();
      refreshListsSoon();
    } else {
      refreshInboxSoon();
      const news = told.data.tasks.filter((task) => last.isNews(task));
      for (const { id } of news) noteChanged(id);
      if (news.length > 0) refreshListsSoon();
    }
  };
  for await (const told of agora.tasks.follow({ signal })) hear(told);
}

/** Asks anew for what was read before a time, in ms since 1970. */
function readAnew(before: number): void {
  for (const queryKey of [...listKeys, ['approvals']])
    void queryClient.invalidateQueries(
      { queryKey, predicate: ({ state }) => state.dataUpdatedAt < before },
      { cancelRefetch: false },
    );
}

async function keepFollowing(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AgoraError)) throw error;
    } finally {
      if (setHasStream(false) && !signal.aborted) readAnew(Number.POSITIVE_INFINITY);
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, tryAgainMs);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/**
 * Keeps lists, figures and the bell up to date by the owner's stream: one connection for all of a tab, which a hidden tab
 * gives back. A task's own page follows the task besides (`pages/task/live.ts`).
 */
export function useOwnersNews(ownerId: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another owner has another stream
  useEffect(() => {
    let leaving: AbortController | undefined;
    const look = () => {
      if (document.visibilityState === 'hidden') {
        leaving?.abort();
        leaving = undefined;
      } else if (leaving === undefined) {
        leaving = new AbortController();
        void keepFollowing(leaving.signal);
      }
    };
    document.addEventListener('visibilitychange', look);
    look();
    return () => {
      document.removeEventListener('visibilitychange', look);
      leaving?.abort();
    };
  }, [ownerId]);
}
