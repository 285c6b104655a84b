import { Check, Copy as CopyIcon } from 'lucide-react';
import { useState } from 'react';
import { Button } from './Button.tsx';

/** Puts a text on the clipboard and says so. `what` names it for those who cannot see where the button stands. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button kind="quiet" onClick={() => void copy()} aria-label={copied ? 'Copied' : `Copy ${what}`} small>
      {copied ? <Check aria-hidden /> : <CopyIcon aria-hidden />}
      <span aria-live="polite" className="max-sm:sr-only">
        {copied ? 'Copied' : 'Copy'}
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
