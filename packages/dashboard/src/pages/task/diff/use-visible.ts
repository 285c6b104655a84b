import { type RefObject, startTransition, useLayoutEffect, useState } from 'react';

/** What is in the window of a tall element, in pixels from its top, with some beyond: it changes once in so many pixels. */
const step = 200;

export interface Visible {
  top: number;
  bottom: number;
}

/** The part of an element that is seen. Without `scroller`, the window scrolls. */
export function useVisible(element: RefObject<HTMLElement | null>, scroller?: RefObject<HTMLElement | null>): Visible {
  const [visible, setVisible] = useState<Visible>({ top: 0, bottom: 6 * step });
  useLayoutEffect(() => {
    const look = () => {
      if (element.current === null) return;
      const frame = scroller?.current?.getBoundingClientRect();
      const above = element.current.getBoundingClientRect().top - (frame?.top ?? 0);
      const top = Math.max(0, (Math.floor(-above / step) - 1) * step);
      const bottom = Math.max(0, (Math.ceil(((frame?.height ?? window.innerHeight) - above) / step) + 1) * step);
      // Rows are drawn in slices, so that scrolling itself never waits for them.
      startTransition(() =>
        setVisible((before) => (before.top === top && before.bottom === bottom ? before : { top, bottom })),
      );
    };
    look();
    const source = scroller?.current ?? window;
    source.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    // What stands above may grow.
    const sizes = new ResizeObserver(look);
    sizes.observe(document.body);
    if (scroller?.current) sizes.observe(scroller.current);
    return () => {
      source.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
      sizes.disconnect();
    };
  }, [element, scroller]);
  return visible;
}
