import { Button } from './Button.tsx';
import { copyTable } from './copy-cells.ts';

/** Copies the table of the section that it stands in. */
export const CopyTable = () => (
  <Button
    small
    kind="quiet"
    // Where there are no rows, there is no table.
    className="[section:not(:has(table))_&]:hidden"
    onClick={({ currentTarget }) => {
      const table = currentTarget.closest('section')?.querySelector('table');
      if (table) void copyTable(table);
    }}
  >
    Copy table
  </Button>
);
