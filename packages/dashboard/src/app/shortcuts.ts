import { allPlaces } from './nav.ts';

/** Every shortcut that works everywhere, for the list that `?` shows. */
export const shortcuts: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K', 'Search and run a command'],
  ['n', 'New task'],
  ['/', 'Go to the filters of a list'],
  ['?', 'Show these shortcuts'],
  ...allPlaces.map(({ key, label }) => [`g ${key}`, label] as const),
];

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
    if (event.key === 'g') afterG = Date.now();
    if (event.key === 'n') actions.open('/tasks/new');
    if (event.key === '?') actions.help();
    if (event.key === '/') {
      const filter = document.querySelector<HTMLElement>('[data-filters] :is(input, select)');
      if (filter) {
        event.preventDefault();
        filter.focus();
      }
    }
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
