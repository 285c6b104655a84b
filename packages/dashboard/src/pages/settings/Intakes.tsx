import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { agora } from '../../api/client.ts';
import { useRows } from '../../api/pages.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyBlock } from '../../ui/Copy.tsx';
import { Confirm, Dialog } from '../../ui/Dialog.tsx';
import { Choice, MoneyField, TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { amountText, centsOf } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Once } from '../../ui/Once.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Money } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import { AgentSearch } from '../agents/AgentSearch.tsx';
import { type Account, hostOf, type Intake, intakesQuery, placeOf, refreshIntakes } from './forges.ts';

interface New extends Intake {
  /** Null where the GitHub App tells of the repository. */
  secret: string | null;
}

/** What stands in the dialog: a form, empty or of one intake, or what is to be set up at the forge. */
type Shown = { form: Intake | null } | { made: New } | null;

/** The repositories whose issues become tasks by a label or a comment. */
export function Intakes({ accounts }: { accounts: readonly Account[] }) {
  const intakes = useRows(intakesQuery);
  const [shown, setShown] = useState<Shown>(null);
  const [ending, setEnding] = useState<Intake | null>(null);
  const add = (
    <Button
      why={accounts.length === 0 ? 'Connect an account first.' : null}
      onClick={() => setShown({ form: null })}
      kind={intakes.rows?.length === 0 ? 'primary' : 'plain'}
    >
      <Plus aria-hidden />
      Add a repository
    </Button>
  );
  return (
    <>
      <Section
        title="Issues that become tasks"
        lead="The label agora or a comment /agora at an issue hires an agent; its work comes back as a pull request. Only people who may write to the repository can ask."
        actions={intakes.rows?.length !== 0 && add}
        flush
      >
        <Table
          label="Issues that become tasks"
          columns={columnsFor((form) => setShown({ form }), setEnding)}
          rowKey={({ id }) => id}
          {...tableOf(intakes)}
          empty={
            <Empty title="No repository" actions={add}>
              Choose one, what a task may cost and what a day may cost. Nobody then needs to open this page to hire.
            </Empty>
          }
        />
      </Section>
      <Dialog title={titleOf(shown)} open={shown !== null} onClose={() => setShown(null)} stays={isOnce(shown)}>
        {shown && 'form' in shown && (
          <IntakeForm
            intake={shown.form}
            accounts={accounts}
            onStored={(stored) => {
              setShown(shown.form ? null : { made: stored });
              if (shown.form) say(`${stored.repository} is changed.`);
            }}
          />
        )}
        {shown && 'made' in shown && <SetUp intake={shown.made} onClose={() => setShown(null)} />}
      </Dialog>
      <End of={ending} onClose={() => setEnding(null)} />
    </>
  );
}

const isOnce = (shown: Shown) => shown !== null && 'made' in shown && shown.made.secret !== null;

const titleOf = (shown: Shown) =>
  shown === null || 'form' in shown
    ? shown?.form
      ? `Change ${shown.form.repository}`
      : 'Add a repository'
    : shown.made.repository;

const columnsFor = (change: (intake: Intake) => void, end: (intake: Intake) => void): Column<Intake>[] => [
  {
    id: 'repository',
    header: 'Repository',
    name: true,
    heads: true,
    sort: ({ repository }) => repository,
    cell: (intake) => (
      <>
        <bdi className="text-ink">{intake.repository}</bdi>
        <span className="block text-faint">{hostOf(intake)}</span>
      </>
    ),
  },
  {
    id: 'most',
    header: 'A task',
    right: true,
    sort: ({ maxBudget }) => maxBudget,
    cell: ({ maxBudget }) => <Money cents={maxBudget} />,
  },
  {
    id: 'daily',
    header: 'A day',
    right: true,
    wide: true,
    sort: ({ dailyBudget }) => dailyBudget,
    cell: ({ dailyBudget }) => <Money cents={dailyBudget} />,
  },
  {
    id: 'agents',
    header: 'Agents',
    wide: true,
    cell: ({ agentIds }) =>
      agentIds === null ? (
        <span className="text-faint">The best for each</span>
      ) : (
        agentIds.map((agentId) => (
          <span key={agentId} className="block">
            <AgentLink agentId={agentId} />
          </span>
        ))
      ),
  },
  {
    id: 'actions',
    header: 'Action',
    right: true,
    cell: (intake) => (
      <span className="-my-1.5 -mr-2 flex flex-wrap justify-end">
        <Button kind="quiet" aria-label={`Change ${intake.repository}`} onClick={() => change(intake)}>
          Change
        </Button>
        <Button kind="quiet" aria-label={`Remove ${intake.repository}`} onClick={() => end(intake)}>
          Remove
        </Button>
      </span>
    ),
  },
];

interface FormProps {
  /** One to change; null for a new one. */
  intake: Intake | null;
  accounts: readonly Account[];
  onStored: (stored: New) => void;
}

function IntakeForm({ intake, accounts, onStored }: FormProps) {
  const [host, setHost] = useState(accounts[0] ? hostOf(accounts[0]) : '');
  const [repository, setRepository] = useState(intake?.repository ?? '');
  const [maxBudget, setMaxBudget] = useState(intake ? amountText(intake.maxBudget) : '');
  const [dailyBudget, setDailyBudget] = useState(intake ? amountText(intake.dailyBudget) : '');
  const [agentIds, setAgentIds] = useState<readonly string[]>(intake?.agentIds ?? []);
  const at = intake ?? accounts.find((each) => hostOf(each) === host);
  const store = useMutation({
    mutationFn: (place: Account | Intake) =>
      agora.github.setIntake({
        ...placeOf(place),
        repository,
        maxBudget: centsOf(maxBudget) ?? 0,
        dailyBudget: centsOf(dailyBudget) ?? 0,
        agentIds: agentIds.length > 0 ? [...agentIds] : null,
      }),
    onSuccess: async (stored) => {
      await refreshIntakes();
      onStored(stored);
    },
  });
  const errors = fieldErrors(store.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!store.isPending && at) store.mutate(at);
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {!intake && (
        <>
          {accounts.length > 1 && (
            <Choice
              label="At"
              value={host}
              onChange={(event) => setHost(event.target.value)}
              options={accounts.map((each) => [hostOf(each), `${hostOf(each)}, as ${each.login}`])}
            />
          )}
          <RepositoryField
            at={at}
            value={repository}
            onChange={(name) => {
              setRepository(name);
              // What was said of the one before is not said of this one.
              store.reset();
            }}
            error={errors.repository}
          />
        </>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <MoneyField
          label="Budget of a task"
          hint="The most that one may cost."
          value={maxBudget}
          onChange={setMaxBudget}
          error={errors.maxBudget}
        />
        <MoneyField
          label="Budget of a day"
          hint="The most that all of a UTC day may cost."
          value={dailyBudget}
          onChange={setDailyBudget}
          error={errors.dailyBudget}
        />
      </div>
      <Agents ids={agentIds} onChange={setAgentIds} />
      <Failure error={Object.keys(errors).length > 0 ? null : store.error} />
      <div className="flex justify-end">
        <Button
          type="submit"
          kind="primary"
          busy={store.isPending}
          why={
            repository === ''
              ? 'Name the repository first.'
              : centsOf(maxBudget) === null || centsOf(dailyBudget) === null
                ? 'Name both budgets first.'
                : null
          }
        >
          {intake ? 'Save changes' : 'Add repository'}
        </Button>
      </div>
    </form>
  );
}

interface RepositoryFieldProps {
  at: Account | Intake | undefined;
  value: string;
  onChange: (name: string) => void;
  error: string | undefined;
}

/** Suggests those of the account. Any other is typed. */
function RepositoryField({ at, value, onChange, error }: RepositoryFieldProps) {
  const listId = useId();
  const known = useQuery({
    queryKey: ['settings', 'repositories', at && hostOf(at)],
    queryFn: async () => (await agora.github.repositories({ ...(at && placeOf(at)), pageSize: 100 })).data,
    enabled: at !== undefined,
  });
  return (
    <>
      <TextField
        label="Repository"
        required
        maxLength={300}
        list={listId}
        placeholder="octocat/shop"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
        error={error}
        hint="The connected account must be able to write to it."
      />
      <datalist id={listId}>
        {known.data?.map(({ fullName }) => (
          <option key={fullName} value={fullName} />
        ))}
      </datalist>
    </>
  );
}

/** Those that may be hired. Without any, the platform chooses. */
function Agents({ ids, onChange }: { ids: readonly string[]; onChange: (ids: readonly string[]) => void }) {
  const [text, setText] = useState('');
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">Agents that may be hired</legend>
      <AgentSearch
        label="Agents that may be hired (optional)"
        hint="The first that can is hired. Without any, the platform chooses."
        text={text}
        setText={setText}
        none="No agent at work is called so."
        verb="Add"
        choose={({ id }) => {
          if (!ids.includes(id) && ids.length < 20) onChange([...ids, id]);
          setText('');
        }}
      />
      {ids.length > 0 && (
        <ol className="grid gap-1 text-small" aria-label="Agents that may be hired">
          {ids.map((agentId, at) => (
            <li
              key={agentId}
              className="flex items-center justify-between gap-3 rounded-base border border-line py-1 pr-1 pl-3"
            >
              <AgentLink agentId={agentId} />
              <Button
                kind="quiet"
                small
                aria-label={`Take agent ${at + 1} out`}
                onClick={() => onChange(ids.filter((each) => each !== agentId))}
              >
                <X aria-hidden />
              </Button>
            </li>
          ))}
        </ol>
      )}
    </fieldset>
  );
}

const webhookWords = {
  github:
    'In the settings of the repository, add a webhook with this address and secret, the content type application/json, and the events Issues, Issue comments, Pull request reviews and Pull request review comments.',
  gitea:
    'In the settings of the repository, add a webhook of the type Gitea or Forgejo with this address and secret: POST, application/json, and the events Issue labeled, Issue comment and Pull request comment.',
  gitlab:
    'In the settings of the project, add a webhook with this address and the secret as Secret token, and the triggers Comments and Issues events, not the confidential ones.',
};

/** What is to be done at the forge, so that it tells of labels and comments. */
function SetUp({ intake: { forge, webhookUrl, secret }, onClose }: { intake: New; onClose: () => void }) {
  return (
    <div className="grid gap-4">
      {secret === null ? (
        <p>The GitHub App tells of this repository, so there is nothing more to set up.</p>
      ) : (
        <>
          <p>{webhookWords[forge]}</p>
          <div className="grid gap-1">
            <p className="text-small font-medium">Address</p>
            <CopyBlock text={webhookUrl} what="address" />
          </div>
          <Once secret={secret} what="secret">
            To get another one, remove the repository here and add it again.
          </Once>
        </>
      )}
      <p className="text-small text-soft">
        Then put the label <b className="font-medium text-ink">agora</b> on an issue, or write the comment{' '}
        <b className="font-medium text-ink">/agora $5</b>. A file <b className="font-medium text-ink">.agora.yml</b> in
        the repository can name the checks that the work must pass.
      </p>
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          {secret === null ? 'Done' : 'I have copied the secret'}
        </Button>
      </div>
    </div>
  );
}

function End({ of, onClose }: { of: Intake | null; onClose: () => void }) {
  const end = useMutation({
    mutationFn: ({ id }: Intake) => agora.github.removeIntake(id),
    onSuccess: async (_, { repository }) => {
      await refreshIntakes();
      onClose();
      say(`Issues of ${repository} become no tasks any more.`);
    },
  });
  return (
    <Confirm
      title="Remove this repository?"
      open={of !== null}
      onClose={onClose}
      verb="Remove repository"
      danger
      busy={end.isPending}
      error={end.error}
      onConfirm={() => of && end.mutate(of)}
    >
      <p>
        Issues of <bdi className="font-medium">{of?.repository}</bdi> become no tasks any more. Tasks under way go on,
        and the issues are not told how they end.
      </p>
      <p className="text-small text-soft">Its webhook has another secret if you add it again.</p>
    </Confirm>
  );
}
