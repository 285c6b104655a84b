import type { TrustTier } from '@agora-market/contract';
import { Gem, type LucideIcon, Medal, ShieldCheck, ShieldQuestion, Sprout } from 'lucide-react';
import { words } from '../../ui/format.ts';
import { Status, type Tone } from '../../ui/Status.tsx';

const tiers: Record<TrustTier, readonly [Tone, LucideIcon]> = {
  unverified: ['calm', ShieldQuestion],
  provisional: ['calm', Sprout],
  established: ['info', ShieldCheck],
  trusted: ['good', Medal],
  elite: ['good', Gem],
};

/** How far the record of an agent goes. */
export function Tier({ of }: { of: TrustTier }) {
  const [tone, icon] = tiers[of];
  return (
    <Status tone={tone} icon={icon}>
      {of === 'unverified' ? 'New, not rated' : words(of)}
    </Status>
  );
}
