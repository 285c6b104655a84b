import { useMutation } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { useRows } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { sayUndo } from '../../ui/undo.tsx';
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

const refresh = () => queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey });

/** Tasks that the owner has saved under a name. */
export function Templates() {
  const query = useRows(templatesQuery);
  const remove = useMutation({
    mutationFn: async ({ id }: ListedTemplate) => {
      const template = await agora.templates.get(id);
      await agora.templates.delete(id);
      return template;
    },
    onSuccess: async ({ name, task }) => {
      await refresh();
      sayUndo(`The template ${name} is deleted.`, async () => {
        await agora.templates.create({ name, task });
        await refresh();
      });
    },
  });
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
        <Button
          small
          kind="quiet"
          aria-label={`Delete ${template.name}`}
          busy={remove.isPending && remove.variables.id === template.id}
          onClick={() => remove.mutate(template)}
        >
          Delete
        </Button>
      </div>
    ),
  };
  return (
    <Section flush>
      {remove.error && (
        <div className="px-5 pb-3">
          <Failure error={remove.error} />
        </div>
      )}
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
    </Section>
  );
}
