import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** The button cannot be pressed, and says why as soon as the keyboard comes to it. */
export const expectOff = (button: Locator, why: string): Promise<void> => expect.poll(() => reasonOf(button)).toBe(why);

async function reasonOf(button: Locator): Promise<string | null> {
  // A key that does nothing, so that the browser takes the focus for that of the keyboard.
  await button.press('Shift');
  return button.evaluate((element: HTMLElement) => {
    const reason = document.getElementById(element.getAttribute('aria-describedby') ?? '');
    const isSaid = element.getAttribute('aria-disabled') === 'true' && reason?.checkVisibility();
    return isSaid ? (reason?.textContent ?? null) : null;
  });
}
