import { useEffect, useRef, useState } from 'react';

/** A text that goes into the address a moment after the last letter, and follows the address on the way back. */
export function useTyped(inAddress: string | undefined, put: (text: string | undefined) => void) {
  const [text, setText] = useState(inAddress ?? '');
  const last = useRef(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (inAddress !== last.current) {
      // What was typed before must not come after it.
      clearTimeout(timer.current);
      setText(inAddress ?? '');
    }
    last.current = inAddress;
  }, [inAddress]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (typed: string) => {
    setText(typed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      last.current = typed.trim() || undefined;
      put(last.current);
    }, 300);
  };
  const drop = () => {
    setText('');
    clearTimeout(timer.current);
  };
  return [text, type, drop] as const;
}
