import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Dialog } from '../ui/Dialog.tsx';
import { listenToKeys } from './shortcuts.ts';

const Help = lazy(() => import('./Help.tsx').then(({ Help }) => ({ default: Help })));
const Palette = lazy(() => import('./Palette.tsx').then(({ Palette }) => ({ default: Palette })));

/** The search button of the head, the command palette behind it, and the keyboard. */
export function Commands() {
  const [shown, setShown] = useState<'palette' | 'help' | null>(null);
  const navigate = useNavigate();
  useEffect(
    () =>
      listenToKeys({
        open: (to) => void navigate({ to }),
        palette: () => setShown('palette'),
        help: () => setShown('help'),
      }),
    [navigate],
  );
  const close = () => setShown(null);
  return (
    <>
      <button
        type="button"
        onClick={() => setShown('palette')}
        className="flex min-h-9 w-full max-w-64 items-center gap-2 rounded-base border border-line bg-surface px-3 text-small text-soft hover:border-line-strong max-sm:w-auto"
      >
        <Search aria-hidden className="size-4" />
        <span className="max-sm:sr-only">Search or run</span>
        <kbd className="ml-auto text-tiny text-faint max-sm:hidden">Ctrl K</kbd>
      </button>
      <Dialog title="Search and run" open={shown === 'palette'} onClose={close}>
        <Suspense fallback={<div className="h-80" />}>
          <Palette close={close} />
        </Suspense>
      </Dialog>
      <Dialog title="Keyboard" open={shown === 'help'} onClose={close}>
        <Suspense fallback={<div className="h-80" />}>
          <Help />
        </Suspense>
      </Dialog>
    </>
  );
}
