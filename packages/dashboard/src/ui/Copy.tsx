import { Check, Copy as CopyIcon } from 'lucide-react';
import { type MouseEvent, useState } from 'react';
import { Button } from './Button.tsx';

const words = { copied: 'Copied', refused: 'Not allowed' };
const refused = 'The browser does not let this page copy. Select the text and copy it by hand.';
const shownForMs = { copied: 2_000, refused: 8_000 };

/** The text usually stands right before its button, be it with spaces for the eye. */
function select(place: Element | null, text: string): void {
  const lettersOf = (one: string | null = '') => one?.replaceAll(/\s/g, '');
  if (place && lettersOf(place.textContent) === lettersOf(text)) getSelection()?.selectAllChildren(place);
}

/** Puts a text on the clipboard and says so. `what` names it for those who cannot see where the button stands. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<keyof typeof words | null>(null);
  const copy = async ({ currentTarget: button }: MouseEvent) => {
    const show = (shown: keyof typeof words) => {
      setOutcome(shown);
      setTimeout(() => setOutcome(null), shownForMs[shown]);
    };
    try {
      await navigator.clipboard.writeText(text);
      show('copied');
    } catch {
      // Browsers give the clipboard only to pages that came by https, and people may forbid it.
      select(button.previousElementSibling, text);
      show('refused');
    }
  };
  const copied = outcome === 'copied';
  return (
    <Button
      kind="quiet"
      onClick={(event) => void copy(event)}
      aria-label={copied ? 'Copied' : `Copy ${what}`}
      why={outcome === 'refused' ? refused : null}
      small
    >
      {copied ? <Check aria-hidden /> : <CopyIcon aria-hidden />}
      <span aria-live="polite" className="max-sm:sr-only">
        {outcome ? words[outcome] : 'Copy'}
      </span>
    </Button>
  );
}

/** A line or a block that is meant to be copied: a command, a key, a configuration. */
export function CopyBlock({ text, what }: { text: string; what: string }) {
  return (
    // Its width is that of its place: a long line scrolls inside and never widens the page.
    <div className="contain-inline-size flex items-start gap-1 rounded-base border border-line bg-sunken py-1 pr-1 pl-3">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="min-w-0 flex-1 overflow-x-auto py-1.5 font-mono text-small">
        {text}
      </pre>
      <Copy text={text} what={what} />
    </div>
  );
}
