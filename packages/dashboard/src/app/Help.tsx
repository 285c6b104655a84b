import { useState } from 'react';
import { Checkbox } from '../ui/Field.tsx';
import { allPlaces } from './nav.ts';
import { firstFilter, keysPlace, rowBox, rowTargets } from './shortcuts.ts';

type Shortcut = readonly [keys: string, does: string];

/** Shortcuts that work everywhere. */
const everywhere: readonly Shortcut[] = [
  ['Ctrl K', 'Search and run a command'],
  ['n', 'New task'],
  ['?', 'Show these shortcuts'],
  ['Ctrl Z', 'Undo, while it is offered'],
  ...allPlaces.map(({ key, label }) => [`g ${key}`, label] as const),
];

/** Shortcuts of the page that is shown. */
const onThisPage = (): Shortcut[] => [
  ...(firstFilter() ? ([['/', 'Go to the filters']] as const) : []),
  ...(rowTargets().length > 0
    ? ([
        ['j', 'Next row'],
        ['k', 'Previous row'],
        ['c', 'Copy the cell'],
        ['C', 'Copy the row'],
      ] as const)
    : []),
  ...(document.querySelector('th [role=separator]')
    ? ([['← →', 'Move the edge of a heading (↑ ↓ the next one), Enter puts it back']] as const)
    : []),
  ...(document.querySelector(rowBox) ? ([['x', 'Select the row, or take it out']] as const) : []),
];

/** What the keyboard can do here, and how to have it do less. */
export function Help() {
  const [areOff, setOff] = useState(() => localStorage.getItem(keysPlace) === 'off');
  const switchTo = (off: boolean) => {
    if (off) localStorage.setItem(keysPlace, 'off');
    else localStorage.removeItem(keysPlace);
    setOff(off);
  };
  return (
    <div className="grid gap-5">
      <Keys title="On this page" of={onThisPage()} />
      <Keys title="Everywhere" of={everywhere} />
      <Checkbox
        label="Shortcuts of single letters"
        hint="Switch them off where you dictate, or press keys by accident. Ctrl K still works, and finds this list again."
        checked={!areOff}
        onChange={(event) => switchTo(!event.target.checked)}
      />
    </div>
  );
}

function Keys({ title, of }: { title: string; of: readonly Shortcut[] }) {
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
