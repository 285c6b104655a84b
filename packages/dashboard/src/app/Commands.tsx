import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Dialog } from '../ui/Dialog.tsx';
import { everywhere, listenToKeys, onThisPage } from './shortcuts.ts';

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
        {shown === 'help' && (
          <div className="grid gap-5">
            <Keys title="On this page" of={onThisPage()} />
            <Keys title="Everywhere" of={everywhere} />
          </div>
        )}
      </Dialog>
    </>
  );
}

function Keys({ title, of }: { title: string; of: typeof everywhere }) {
  if (of.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-small font-semibold">{title}</h3>
      <dl className="grid gap-2 text-small">
        {of.map(([keys, does]) => (
          <div key={keys} className="flex justify-between gap-4">
            <dt>{does}</dt>
            <dd className="flex gap-1">
              {keys.split(' ').map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded-small border border-line bg-sunken px-1.5 text-center font-mono text-tiny"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
