import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Choice, TextField } from '../../ui/Field.tsx';
import { say } from '../../ui/toast.tsx';
import { filterOf, searchOf, type TaskSearch } from './filters.ts';
import type { ListKind } from './kinds.tsx';

const viewsQuery = { queryKey: ['task-views'], queryFn: async () => (await agora.tasks.listViews()).data };

const same = (one: object, other: object) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
const sorted = (filter: object) => Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1));

/** Views that the owner has saved, and a way to save the one that is shown. */
export function Views({
  kind,
  search,
  open,
}: {
  kind: ListKind;
  search: TaskSearch;
  open: (view: TaskSearch) => void;
}) {
  const client = useQueryClient();
  const all = useQuery(viewsQuery).data ?? [];
  const views = all.filter((view) => view.filter.role === kind.filter.role);
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const chosen = filterOf(search, kind.orders);
  const filter = { ...kind.filter, ...chosen };
  const current = views.find((view) => same(view.filter, filter));
  const refresh = () => client.invalidateQueries({ queryKey: viewsQuery.queryKey });
  const save = useMutation({
    mutationFn: () => agora.tasks.saveView({ name: name.trim(), filter }),
    onSuccess: async () => {
      await refresh();
      setNaming(false);
      setName('');
      say('View saved.');
    },
  });
  const remove = useMutation({
    mutationFn: (gone: string) => agora.tasks.deleteView({ name: gone }),
    onSuccess: async (_, gone) => {
      await refresh();
      say(`View “${gone}” deleted.`);
    },
  });
  const isFiltered = Object.keys(chosen).length > 0;
  return (
    <>
      {views.length > 0 && (
        <Choice
          label="View"
          className="w-44 max-sm:w-[calc(50%-0.375rem)]"
          value={current?.name ?? ''}
          onChange={(event) => {
            const chosen = views.find((view) => view.name === event.target.value);
            open(chosen ? searchOf(chosen.filter) : {});
          }}
          options={[
            ['', isFiltered ? 'Not saved' : `All ${kind.label.toLowerCase()}`],
            ...views.map((view) => [view.name, view.name] as const),
          ]}
        />
      )}
      {isFiltered && !current && <Button onClick={() => setNaming(true)}>Save view</Button>}
      {current && (
        <Button kind="quiet" busy={remove.isPending} onClick={() => remove.mutate(current.name)}>
          Delete view
        </Button>
      )}
      <Confirm
        title="Save this view"
        open={isNaming}
        onClose={() => setNaming(false)}
        verb="Save view"
        why={name.trim() === '' ? 'Name it first.' : null}
        busy={save.isPending}
        error={save.error}
        onConfirm={() => save.mutate()}
      >
        <TextField
          label="Name"
          maxLength={60}
          value={name}
          hint={
            all.some((view) => view.name === name.trim())
              ? 'The view of this name is replaced.'
              : 'You find it above the list.'
          }
          onChange={(event) => setName(event.target.value)}
        />
      </Confirm>
    </>
  );
}
