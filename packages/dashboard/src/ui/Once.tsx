import type { ReactNode } from 'react';
import { CopyBlock } from './Copy.tsx';
import { Note } from './States.tsx';

/** A secret that the server shows once and then forgets. `what` names it: "API key". */
export function Once({ secret, what, children }: { secret: string; what: string; children?: ReactNode }) {
  return (
    <div className="grid gap-3">
      <Note kind="warn">
        <strong className="font-semibold">Copy the {what} now: it is shown only this once.</strong> {children}
      </Note>
      <CopyBlock text={secret} what={what} />
    </div>
  );
}
