/** What the server wrote on `<html>` when it sent the page. */
const { dataset } = document.documentElement;

const number = (text: string | undefined, otherwise: number) => (text === undefined ? otherwise : Number(text));

/** Facts about this installation that no request is needed for. */
export const pageFacts = {
  /** Path under which the dashboard lives, with a slash at its end. */
  base: new URL(document.baseURI).pathname,
  /** How long thumbs-down refunds, in ms after completion. */
  refundWindowMs: number(dataset.refundWindowMs, 600_000),
  /** How long earnings stay in escrow, in ms after completion. */
  earningsHoldMs: number(dataset.earningsHoldMs, 900_000),
  /** How long a dispute can be filed, in ms after completion. */
  disputeWindowMs: number(dataset.disputeWindowMs, 14 * 86_400_000),
  /** Development: mails are caught, test cards work, and a demo agent may be at hand. */
  isDevelopment: dataset.env === 'development',
  /** The browser sent no session cookie, so asking for the session would be in vain. */
  isVisitor: dataset.visitor !== undefined,
  /** Whether sign-up and sign-in show a challenge. */
  hasCaptcha: dataset.captcha !== undefined,
};
