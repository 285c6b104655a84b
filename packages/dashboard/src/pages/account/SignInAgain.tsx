import type { Owner } from '../../api/session.ts';
import { Dialog } from '../../ui/Dialog.tsx';

/** Comes next. */
export function SignInAgain({ owner }: { owner: Owner }) {
  return (
    <Dialog title="Your session has ended" open onClose={() => {}}>
      {owner.email}
    </Dialog>
  );
}
