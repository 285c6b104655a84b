import { say } from '../ui/toast.tsx';
import { queryClient } from './query-client.ts';
import { readSession, sessionQuery } from './session.ts';
import { isNotSession, showAs } from './sign-in-out.ts';
import { channel } from './tabs.ts';

// Loaded with what only owners see: a visitor has nothing that another tab could change.
channel.addEventListener('message', ({ data }) => (data === 'session' ? followSession() : askAnew()));

/** What is on the page is asked for anew; on a tab that nobody sees, once somebody comes back to it. */
function askAnew(): void {
  const refetchType = document.visibilityState === 'visible' ? 'active' : 'none';
  void queryClient.invalidateQueries({ predicate: isNotSession, refetchType });
}

/** The cookie is of all tabs: one that went on showing what it showed would act as somebody else. */
async function followSession(): Promise<void> {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  // Without an answer the next request of the page tells.
  const owner = await readSession().catch(() => undefined);
  if (owner === undefined) return;
  // What is typed on this page was typed by the one before.
  if (before && owner && before.id !== owner.id) return location.reload();
  showAs(owner);
  if (before && !owner) say('You signed out in another tab.');
}
