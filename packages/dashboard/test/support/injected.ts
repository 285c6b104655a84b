import type { Page } from 'playwright-core';

/** Elements and traces on the page that only markup of strangers can have left; empty on a page that shows it as text. */
export const injected = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const runs = /^\s*(javascript|vbscript|data:text)/i;
    const addresses = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href', 'srcdoc'];
    const never =
      'xss-mark, iframe, object, embed, marquee, math, foreignObject, animate, base:not(:first-of-type), meta[http-equiv=refresh], audio, video';
    // An address of the page's own may have the words in what it says of a file.
    const leadsAway = (address: string) =>
      URL.canParse(address, document.baseURI) && /evil\.example$/.test(new URL(address, document.baseURI).hostname);
    const isOdd = (element: Element) =>
      element.matches(never) ||
      element.getAttributeNames().some((name) => name.startsWith('on')) ||
      addresses.some((name) => runs.test(element.getAttribute(name) ?? '')) ||
      (element.matches('script') && !element.getAttribute('src')) ||
      (element.matches('style') && /xss|evil/.test(element.textContent ?? '')) ||
      leadsAway(element.getAttribute('href') ?? element.getAttribute('src') ?? '');
    const found = [...document.querySelectorAll('*')].filter(isOdd).map((element) => element.outerHTML.slice(0, 200));
    if ('xss' in window) found.push('a script of a stranger has run');
    return found;
  });
