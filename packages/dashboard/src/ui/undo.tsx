import { useEffect, useEffectEvent, useState } from 'react';
import { Button } from './Button.tsx';
import { isTyping } from './is-typing.ts';
import { errorText } from './States.tsx';
import { say, tell } from './toast.tsx';

const openMs = 10_000;

/** What can be taken back now; the keys take the last. */
const offered: (() => void)[] = [];

/**
 * Says what was done, with a button that takes it back. `undo` must bring everything back as it was; where it cannot, ask
 * before instead. It stays for ten seconds, and as long as it is pointed at or has the focus.
 */
export function sayUndo(text: string, undo: () => unknown): void {
  tell((drop) => <Undo text={text} undo={undo} drop={drop} />);
}

interface UndoProps {
  text: string;
  undo: () => unknown;
  drop: () => void;
}

function Undo({ text, undo, drop }: UndoProps) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const stays = isPointedAt || hasFocus || isBusy;
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(drop, openMs);
    return () => clearTimeout(timer);
  }, [stays, drop]);
  const takeBack = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await undo();
      say('Undone.');
    } catch (error) {
      say(`It could not be undone. ${errorText(error)}`);
    }
    drop();
  };
  const takeBackNow = useEffectEvent(() => void takeBack());
  useEffect(() => {
    offered.push(drop);
    const onKey = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === 'z';
      if (!isUndo || event.defaultPrevented || isTyping(event.target) || offered.at(-1) !== drop) return;
      event.preventDefault();
      takeBackNow();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      offered.splice(offered.indexOf(drop), 1);
      document.removeEventListener('keydown', onKey);
    };
  }, [drop]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      role="group"
      aria-label={text}
      className="-mx-4 -my-2 flex items-center gap-3 px-4 py-2"
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
    >
      {text}
      <span className="sr-only">Control Z takes it back.</span>
      <Button
        title="Ctrl Z"
        busy={isBusy}
        className="min-h-7 border-transparent bg-canvas/15 px-2 text-canvas hover:bg-canvas/25"
        onClick={() => void takeBack()}
      >
        Undo
      </Button>
    </div>
  );
}
