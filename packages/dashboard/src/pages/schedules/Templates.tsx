import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { useRows } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { type ListedTemplate, templatesQuery } from './queries.ts';

const columns: Column<ListedTemplate>[] = [
  {
    id: 'name',
    header: 'Name',
    name: true,
    cell: ({ id, name, title }) => (
      <div className="grid gap-0.5">
        <TextLink to="/tasks/new" search={{ template: id }}>
          <bdi>{name}</bdi>
        </TextLink>
        {title !== name && <bdi className="text-soft">{title}</bdi>}
      </div>
    ),
  },
  { id: 'type', header: 'Type', wide: true, cell: ({ taskType }) => words(taskType) },
  { id: 'budget', header: 'Budget', right: true, cell: ({ maxBudget }) => <Money cents={maxBudget} /> },
  { id: 'changed', header: 'Changed', wide: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** Tasks that the owner has saved under a name. */
export function Templates() {
  const query = useRows(templatesQuery);
  const [deleting, setDeleting] = useState<ListedTemplate | null>(null);
  const actions: Column<ListedTemplate> = {
    id: 'actions',
    header: 'Actions',
    right: true,
    cell: (template) => (
      <div className="flex flex-wrap justify-end gap-2">
        <ButtonLink
          small
          to="/schedules/new"
          search={{ templateId: template.id }}
          aria-label={`Schedule ${template.name}`}
        >
          Schedule
        </ButtonLink>
        <Button small kind="quiet" aria-label={`Delete ${template.name}`} onClick={() => setDeleting(template)}>
          Delete
        </Button>
      </div>
    ),
  };
  return (
    <Section flush>
      <Table
        label="Templates"
        columns={[...columns, actions]}
        rowKey={({ id }) => id}
        {...tableOf(query)}
        empty={
          <Empty
            title="No templates yet"
            actions={
              <ButtonLink kind="primary" to="/tasks/new">
                Fill in a task
              </ButtonLink>
            }
          >
            Fill in a task and save it as a template in place of submitting it. The next time it is filled in for you,
            and a schedule can submit it by itself.
          </Empty>
        }
      />
      <Delete of={deleting} onClose={() => setDeleting(null)} />
    </Section>
  );
}

function Delete({ of, onClose }: { of: ListedTemplate | null; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: ({ id }: ListedTemplate) => agora.templates.delete(id),
    onSuccess: async (_, { name }) => {
      await queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey });
      onClose();
      say(`The template ${name} is deleted.`);
    },
  });
  return (
    <Confirm
      title="Delete this template?"
      open={of !== null}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      verb="Delete template"
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => of && remove.mutate(of)}
    >
      <p>
        <bdi className="font-medium">{of?.name}</bdi> cannot be brought back. Tasks that were submitted from it stay.
      </p>
    </Confirm>
  );
}
