import type { ReactNode } from 'react';
import { ButtonLink } from '../../ui/Button.tsx';
import { Empty } from '../../ui/States.tsx';

interface NoRowsProps {
  /** The part of the operator area, which is called as its rows are. */
  tab: 'tasks' | 'owners' | 'agents';
  isFiltered: boolean;
  children: ReactNode;
}

/** Stands in the place of a list without rows. */
export const NoRows = ({ tab, isFiltered, children }: NoRowsProps) => (
  <Empty
    title={isFiltered ? `No ${tab} match these filters` : `No ${tab} yet`}
    actions={
      isFiltered && (
        <ButtonLink kind="primary" to="/operator" search={{ tab }}>
          Show all {tab}
        </ButtonLink>
      )
    }
  >
    {children}
  </Empty>
);
