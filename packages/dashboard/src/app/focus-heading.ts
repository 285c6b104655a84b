import type { AnyRouter } from '@tanstack/react-router';

/**
 * Gives the focus to the heading of each page that somebody goes to, so that screen readers say where they are and the
 * keyboard goes on from there. Neither the first page nor another tab of the same one takes the focus.
 */
export function focusHeadings(router: AnyRouter): void {
  let leave = () => {};
  router.subscribe('onResolved', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return;
    leave();
    leave = whenThere('main h1', giveFocus);
  });
}

/** Acts once such an element is on the page, which may take as long as its data, until the returned function is called. */
function whenThere(selector: string, act: (element: HTMLElement) => void): () => void {
  const look = () => {
    const found = document.querySelector<HTMLElement>(selector);
    if (!found) return false;
    watch.disconnect();
    act(found);
    return true;
  };
  const watch = new MutationObserver(look);
  if (!look()) watch.observe(document.body, { childList: true, subtree: true });
  return () => watch.disconnect();
}

function giveFocus(heading: HTMLElement): void {
  // The page has given it to a field of its own, or somebody is there already.
  if (document.activeElement?.matches('main :not(h1)')) return;
  const dialog = document.querySelector('dialog:modal');
  if (dialog) {
    // As it closes it gives the focus back to where it was, which is before this page.
    dialog.addEventListener('close', () => heading.isConnected && giveFocus(heading), { once: true });
    return;
  }
  heading.tabIndex = -1;
  // One that has it already, on a page that stays for another thing of its kind, would not be read again.
  heading.blur();
  heading.focus({ preventScroll: true });
}
