import { CircleAlert, CircleCheck, CircleDashed, CircleDot, CircleX, type LucideIcon, Undo2 } from 'lucide-react';
import { cx } from './cx.ts';
import { words } from './format.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'calm';

const tones: Record<Tone, [string, LucideIcon]> = {
  good: ['text-good bg-good-wash', CircleCheck],
  bad: ['text-bad bg-bad-wash', CircleX],
  warn: ['text-warn bg-warn-wash', CircleAlert],
  info: ['text-info bg-info-wash', CircleDot],
  calm: ['text-soft bg-sunken', CircleDashed],
};

/** A state in a word with an icon; the colour only repeats what both say. */
export function Status({ tone, icon, children }: { tone: Tone; icon?: LucideIcon; children: string }) {
  const [colour, usual] = tones[tone];
  const Icon = icon ?? usual;
  return (
    <span
      className={cx(
        'inline-flex items-center gap-1.5 rounded-full py-0.5 pr-2.5 pl-2 text-tiny font-medium whitespace-nowrap',
        colour,
      )}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {children}
    </span>
  );
}

/** Tone and word of every state the API names, in one place. */
const states: Record<string, [Tone, string?, LucideIcon?]> = {
  submitted: ['calm', 'Waiting for an agent'],
  routing: ['calm', 'Offered to an agent'],
  executing: ['info', 'Being worked on'],
  quality_check: ['info', 'Being checked'],
  completed: ['good'],
  failed: ['bad'],
  refunded: ['warn', 'Refunded', Undo2],
  active: ['good'],
  suspended: ['bad'],
  deactivated: ['calm'],
  available: ['good'],
  busy: ['warn'],
  offline: ['calm'],
  pending: ['warn', 'Waiting'],
  approved: ['good'],
  denied: ['bad'],
  expired: ['calm'],
  delivered: ['good'],
  disabled: ['bad'],
  verified: ['good'],
  unverified: ['calm'],
  paid: ['good'],
  succeeded: ['good'],
  processing: ['info'],
  open: ['info'],
  resolved: ['good'],
};

/** The state as it is shown, for lists of choices. */
export const stateWord = (of: string): string => states[of]?.[1] ?? words(of);

/** The state of a task, agent, approval, delivery or payment. */
export function State({ of }: { of: string }) {
  const [tone, , icon] = states[of] ?? ['calm'];
  return (
    <Status tone={tone} {...(icon && { icon })}>
      {stateWord(of)}
    </Status>
  );
}
