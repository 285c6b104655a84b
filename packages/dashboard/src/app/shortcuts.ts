import { copyFocused } from '../ui/copy-cells.ts';
import { isTyping } from '../ui/is-typing.ts';
import { allPlaces } from './nav.ts';

/** Holds `off` where the reader wants no shortcuts of single letters. */
export const keysPlace = 'agora.keys';

/** The box of each row that can be selected. */
export const rowBox = 'input[aria-keyshortcuts=x]';

export const firstFilter = () => document.querySelector<HTMLElement>('[data-filters] :is(input, select)');

/** Of each row of a table or list that can be opened or acted on, the first link or button. */
export const rowTargets = () =>
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

/** After a click on plain text in it, keys go to the body of the page. */
const hasDialog = () => document.querySelector('dialog:modal') !== null;

/** Listens to the keyboard until the returned function is called. */
export function listenToKeys(actions: Actions): () => void {
  let afterG = 0;
  const letters: Record<string, (event: KeyboardEvent) => unknown> = {
    g: () => {
      afterG = Date.now();
    },
    n: () => actions.open('/tasks/new'),
    '?': actions.help,
    j: () => moveBy(1),
    k: () => moveBy(-1),
    x: () => document.activeElement?.closest('tr, [role=row]')?.querySelector<HTMLElement>(rowBox)?.click(),
    c: (event) => copyFocused(event.shiftKey ? 'row' : 'cell'),
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
    const copies = (event.ctrlKey || event.metaKey) && event.key === 'c' && !isTyping(event.target);
    if (copies && getSelection()?.isCollapsed !== false && copyFocused('cell')) return event.preventDefault();
    if (localStorage.getItem(keysPlace) === 'off') return;
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
    letters[event.key === 'C' ? 'c' : event.key]?.(event);
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
