import { allPlaces } from './nav.ts';

type Shortcut = readonly [keys: string, does: string];

/** Shortcuts that work everywhere, for the list that `?` shows. */
export const everywhere: readonly Shortcut[] = [
  ['Ctrl K', 'Search and run a command'],
  ['n', 'New task'],
  ['?', 'Show these shortcuts'],
  ...allPlaces.map(({ key, label }) => [`g ${key}`, label] as const),
];

/** Shortcuts of the page that is shown. */
export function onThisPage(): Shortcut[] {
  return [
    ...(firstFilter() ? ([['/', 'Go to the filters']] as const) : []),
    ...(rowTargets().length > 0
      ? ([
          ['j', 'Next row'],
          ['k', 'Previous row'],
        ] as const)
      : []),
  ];
}

const firstFilter = () => document.querySelector<HTMLElement>('[data-filters] :is(input, select)');

/** Of each row of a table or list that can be opened or acted on, the first link or button. */
const rowTargets = () =>
  [...document.querySelectorAll('main :is(tbody tr, [role=rowgroup] [role=row])')].flatMap(
    (row) => row.querySelector<HTMLElement>('a[href], button:not([disabled])') ?? [],
  );

function moveBy(step: 1 | -1): void {
  const targets = rowTargets();
  const at = targets.findIndex((target) => target.closest('tr, [role=row]')?.contains(document.activeElement));
  targets[at === -1 ? 0 : at + step]?.focus();
}

export interface Actions {
  open: (path: string) => void;
  palette: () => void;
  help: () => void;
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** After a click on plain text in it, keys go to the body of the page. */
const hasDialog = () => document.querySelector('dialog:modal') !== null;

/** Listens to the keyboard until the returned function is called. */
export function listenToKeys(actions: Actions): () => void {
  let afterG = 0;
  const letters: Record<string, (event: KeyboardEvent) => void> = {
    g: () => {
      afterG = Date.now();
    },
    n: () => actions.open('/tasks/new'),
    '?': actions.help,
    j: () => moveBy(1),
    k: () => moveBy(-1),
    '/': (event) => {
      const filter = firstFilter();
      if (filter) event.preventDefault();
      filter?.focus();
    },
  };
  const onKey = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      return actions.palette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || hasDialog()) return;
    if (Date.now() - afterG < 1_000) {
      afterG = 0;
      const place = allPlaces.find(({ key }) => key === event.key);
      if (place) {
        event.preventDefault();
        actions.open(place.to);
      }
      return;
    }
    letters[event.key]?.(event);
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
