import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { pageFacts } from '../../api/page-facts.ts';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Connect } from './Connect.tsx';
import { Mails } from './Mails.tsx';
import { Tokens } from './Tokens.tsx';

const route = getRouteApi('/owner/developer');

/** How programs and assistants use the account. */
export function DeveloperPage() {
  const { tab } = route.useSearch();
  // Only in memory: the snippets show a new token until the page is left.
  const [token, setToken] = useState<string>();
  return (
    <Page title="Developer" lead="Use your account from programs, the command line and assistants.">
      <Tabs
        label="Parts of the page"
        tabs={[
          { label: 'Tokens', to: '/developer' },
          { label: 'Connect', to: '/developer', search: { tab: 'connect' } },
          ...(pageFacts.isDevelopment
            ? [{ label: 'Caught mail', to: '/developer' as const, search: { tab: 'mail' } }]
            : []),
        ]}
      />
      {tab === 'connect' && <Connect token={token} />}
      {tab === 'mail' && <Mails />}
      {tab !== 'connect' && tab !== 'mail' && <Tokens token={token} onMade={setToken} />}
    </Page>
  );
}
