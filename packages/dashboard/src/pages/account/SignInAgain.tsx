import { useState } from 'react';
import type { Owner } from '../../api/session.ts';
import { leave } from '../../api/sign-in-out.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SignInForm } from './SignInForm.tsx';

/** Over the page when its session has ended. The page stays, with all that is typed on it. */
export function SignInAgain({ owner }: { owner: Owner }) {
  const [isAside, setIsAside] = useState(false);
  return (
    <>
      <Dialog title="Your session has ended" open={!isAside} onClose={() => setIsAside(true)}>
        <p className="text-soft">Sign in again and go on where you are. Nothing that you typed is lost.</p>
        <SignInForm email={owner.email} actions={<Button onClick={leave}>Leave the page</Button>} />
      </Dialog>
      {isAside && (
        <div
          role="status"
          className="screen-only fixed inset-x-0 bottom-0 z-30 flex flex-wrap items-center justify-center gap-3 border-t border-line bg-warn-wash px-4 py-3 text-small"
        >
          Your session has ended. What you typed is still here.
          <Button kind="primary" onClick={() => setIsAside(false)}>
            Sign in again
          </Button>
        </div>
      )}
    </>
  );
}
