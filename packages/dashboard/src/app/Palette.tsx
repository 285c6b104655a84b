import { Autocomplete } from '@base-ui/react/autocomplete';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { agora } from '../api/client.ts';
import { stateWord } from '../ui/Status.tsx';
import { allPlaces } from './nav.ts';
import { tryToSignOut } from './sign-out.ts';
import { chooseTheme, themes } from './theme.ts';

interface Command {
  value: string;
  label: string;
  note?: string;
  run: () => void;
}

interface Group {
  value: string;
  items: Command[];
}

/** Commands, places, recent tasks and agents, found by typing. */
export function Palette({ close }: { close: () => void }) {
  const [text, setText] = useState('');
  const groups = useGroups(text);
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      autoHighlight="always"
      keepHighlight
      value={text}
      onValueChange={setText}
    >
      <Autocomplete.Input
        autoFocus
        aria-label="Search for a page, a task, an agent or a command"
        placeholder="A page, a task, an agent or a command"
        className="min-h-10 w-full rounded-base border border-line-strong bg-surface px-3"
      />
      <div className="h-80 overflow-y-auto">
        <Autocomplete.Empty className="text-small text-soft empty:hidden">Nothing found.</Autocomplete.Empty>
        <Autocomplete.List>
          {(group: Group) => (
            <Autocomplete.Group key={group.value} items={group.items} className="mb-2">
              <Autocomplete.GroupLabel className="px-2 py-1 text-tiny font-medium text-faint">
                {group.value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: Command) => (
                  <Autocomplete.Item
                    key={item.value}
                    value={item}
                    onClick={() => {
                      close();
                      item.run();
                    }}
                    className="flex cursor-pointer justify-between gap-4 rounded-base px-2 py-1.5 text-small data-highlighted:bg-accent-wash"
                  >
                    <span className="truncate">{item.label}</span>
                    {item.note && <span className="shrink-0 text-faint">{item.note}</span>}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </div>
    </Autocomplete.Root>
  );
}

function useGroups(text: string): Group[] {
  const navigate = useNavigate();
  const open = (to: string) => () => void navigate({ to });
  const tasks = useQuery({
    queryKey: ['palette', 'tasks'],
    queryFn: () => agora.tasks.list({ pageSize: 50 }),
    staleTime: 30_000,
  });
  const wanted = text.trim();
  const agents = useQuery({
    queryKey: ['palette', 'agents', wanted],
    queryFn: () => agora.agents.search({ q: wanted, pageSize: 5 }),
    enabled: wanted.length >= 2,
    placeholderData: (before) => before,
  });
  return [
    {
      value: 'Commands',
      items: [
        { value: 'new-task', label: 'Submit a task', note: 'n', run: open('/tasks/new') },
        { value: 'new-agent', label: 'Register an agent', run: open('/my-agents/new') },
        { value: 'top-up', label: 'Top up credits', run: open('/vault') },
        ...themes.map((theme) => ({ value: theme, label: `Theme: ${theme}`, run: () => chooseTheme(theme) })),
        { value: 'sign-out', label: 'Sign out', run: () => void tryToSignOut() },
      ],
    },
    {
      value: 'Go to',
      items: allPlaces.map(({ to, label, key }) => ({ value: to, label, note: `g ${key}`, run: open(to) })),
    },
    {
      value: 'Recent tasks',
      items: (tasks.data?.data ?? []).map((task) => ({
        value: task.id,
        label: task.title,
        note: stateWord(task.status),
        run: open(`/tasks/${task.id}`),
      })),
    },
    {
      value: 'Agents',
      items: (agents.data?.data ?? []).map(({ id, displayName }) => ({
        value: id,
        label: displayName,
        run: open(`/agents/${id}`),
      })),
    },
  ];
}
