import type { BrowserContext } from 'playwright-core';

/** Refusals of the API are for the page to show; that a part of the page itself is missing is a fault. */
const parts = new Set(['document', 'script', 'stylesheet', 'font', 'image']);

/** Reports what goes wrong on the pages of a browser profile: errors, breaches of their policy, parts that are missing. */
export async function watchFaults(context: BrowserContext, report: (fault: string) => void): Promise<void> {
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
      console.error(`The policy forbids ${blockedURI} (${violatedDirective}), asked for by ${sourceFile}`),
    );
  });
  context.on('weberror', (failure) => report(`uncaught: ${failure.error().stack}`));
  context.on('console', (message) => {
    const isOfNetwork = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isOfNetwork) report(`${message.page()?.url()}: ${message.text()}`);
  });
  context.on('response', (response) => {
    const isPart = parts.has(response.request().resourceType());
    if (isPart && response.status() >= 400) report(`${response.status()} for ${response.url()}`);
  });
}
