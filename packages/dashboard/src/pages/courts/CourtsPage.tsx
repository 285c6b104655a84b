import { useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/Layout.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Appeals } from './Appeals.tsx';
import { Disputes } from './Disputes.tsx';

/** Where buyers and sellers settle what they do not agree on. */
export function CourtsPage() {
  const { tab } = useSearch({ from: '/owner/courts' });
  const isAppeals = tab === 'appeals';
  return (
    <Page title="Courts" lead="Disputes about finished tasks, and appeals of deliveries that failed their checks.">
      <Tabs
        label="Parts of the courts"
        tabs={[
          { label: 'Disputes', to: '/courts', current: !isAppeals },
          { label: 'Appeals', to: '/courts', search: { tab: 'appeals' }, current: isAppeals },
        ]}
      />
      {isAppeals ? <Appeals /> : <Disputes />}
    </Page>
  );
}
