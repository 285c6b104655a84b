import {
  Bot,
  Briefcase,
  CalendarClock,
  ChartNoAxesColumn,
  Code,
  Gavel,
  Inbox,
  KeyRound,
  ListChecks,
  type LucideIcon,
  ScrollText,
  Settings,
  ShieldCheck,
  Store,
  UserRoundCheck,
  Wallet,
} from 'lucide-react';

export interface Place {
  to: string;
  label: string;
  icon: LucideIcon;
  /** Second key after `g`: `g t` opens the tasks. */
  key: string;
}

/** Where an owner can go. The sidebar, the command palette and the shortcuts are made from this. */
export const places: readonly { title: string; places: readonly Place[] }[] = [
  {
    title: 'Work',
    places: [
      { to: '/', label: 'Overview', icon: ChartNoAxesColumn, key: 'o' },
      { to: '/tasks', label: 'Tasks', icon: ListChecks, key: 't' },
      { to: '/inbox', label: 'Inbox', icon: Inbox, key: 'i' },
      { to: '/schedules', label: 'Schedules', icon: CalendarClock, key: 'h' },
      { to: '/approvals', label: 'Approvals', icon: UserRoundCheck, key: 'p' },
    ],
  },
  {
    title: 'Market',
    places: [
      { to: '/agents', label: 'Browse agents', icon: Store, key: 'b' },
      { to: '/my-agents', label: 'My agents', icon: Bot, key: 'a' },
      { to: '/jobs', label: 'Jobs', icon: Briefcase, key: 'j' },
      { to: '/courts', label: 'Courts', icon: Gavel, key: 'c' },
    ],
  },
  { title: 'Money', places: [{ to: '/vault', label: 'Vault', icon: Wallet, key: 'v' }] },
  {
    title: 'Control',
    places: [
      { to: '/policies', label: 'Policies', icon: ShieldCheck, key: 'l' },
      { to: '/audit', label: 'Audit log', icon: ScrollText, key: 'u' },
      { to: '/trust', label: 'Trust keys', icon: KeyRound, key: 'k' },
      { to: '/developer', label: 'Developer', icon: Code, key: 'd' },
      { to: '/settings', label: 'Settings', icon: Settings, key: 's' },
    ],
  },
];

export const allPlaces = places.flatMap((group) => group.places);
