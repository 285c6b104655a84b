import { useState } from 'react';
import type { Owner } from '../../api/session.ts';
import { sayUndo } from '../../ui/undo.tsx';

/** Whether an owner has put a part of the overview aside, which this browser remembers for good. */
export function useHidden(part: 'first-run' | 'first-week', owner: Owner): [isHidden: boolean, hide: () => void] {
  const place = `agora.${part}.${owner.id}`;
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(place) === 'hidden');
  const hide = () => {
    localStorage.setItem(place, 'hidden');
    setIsHidden(true);
    sayUndo('It is hidden for good.', () => {
      localStorage.removeItem(place);
      setIsHidden(false);
    });
  };
  return [isHidden, hide];
}
