import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { agora } from '../../api/client.ts';
import { useOwner } from '../../api/session.ts';
import { Checkbox, Choice, TextArea, TextField } from '../../ui/Field.tsx';
import { count } from '../../ui/format.ts';
import { Failure, Skeleton } from '../../ui/States.tsx';
import type { PartProps } from './draft.ts';
import { type DraftEnvironment, environmentOf } from './draft-environment.ts';

type Listing = Reply<'system.environments'>;

const path = 'input.environment';

/** What the task's sandboxes have besides the ordinary: tools, size, preparation, times. Most tasks need none of it. */
export function Environment({ draft, change, errors }: PartProps) {
  const typed = draft.environment;
  const isAsked = environmentOf(typed) !== undefined;
  const [isOpen, setOpen] = useState(isAsked);
  useEffect(() => {
    if (isAsked) setOpen(true);
  }, [isAsked]);
  const listing = useQuery({
    queryKey: ['environments'],
    queryFn: () => agora.system.environments(),
    enabled: isOpen,
    staleTime: 60_000,
  });
  const set = (part: Partial<DraftEnvironment>) =>
    change((before) => ({ environment: { ...before.environment, ...part } }));
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-small font-medium text-soft hover:text-ink">
        Its sandbox: tools, size, preparation, times
      </summary>
      <div className="mt-3 grid gap-4">
        <Failure error={listing.error} retry={() => void listing.refetch()} />
        {listing.data || listing.error ? (
          <Fields typed={typed} set={set} errors={errors} listing={listing.data} />
        ) : (
          <Skeleton lines={6} />
        )}
      </div>
    </details>
  );
}

interface FieldsProps {
  typed: DraftEnvironment;
  set: (part: Partial<DraftEnvironment>) => void;
  errors: PartProps['errors'];
  /** Undefined where the server cannot tell. */
  listing: Listing | undefined;
}

function Fields({ typed, set, errors, listing }: FieldsProps) {
  const plan = useOwner()?.plan ?? 'free';
  const most = listing?.most[plan];
  const ordinary = listing?.ordinary;
  const size = (field: 'memoryMb' | 'cpus' | 'diskMb') => ({
    inputMode: 'decimal' as const,
    optional: true,
    placeholder: ordinary && `${ordinary[field]}`,
    hint: listing && most && limitText(most[field], listing.most.enterprise[field]),
    value: typed[field],
    onChange: (event: { target: { value: string } }) => set({ [field]: event.target.value }),
    error: errors[`${path}.${field}`],
  });
  const time = (field: 'commandTime' | 'setupTime', name: 'commandMs' | 'setupMs', what: string) => ({
    inputMode: 'decimal' as const,
    optional: true,
    hint: `${what}${most ? ` At most ${count(most.commandMs / 1_000)}.` : ''}`,
    value: typed[field],
    onChange: (event: { target: { value: string } }) => set({ [field]: event.target.value }),
    // Typed in seconds, so refused in seconds.
    error: errors[`${path}.timeouts.${name}`]?.replace(/000 ms\b/, ' s'),
  });
  return (
    <>
      <Tools typed={typed} set={set} errors={errors} listing={listing} />
      <Images typed={typed} set={set} errors={errors} listing={listing} />
      <div className="grid items-start gap-4 sm:grid-cols-3">
        <TextField label="Memory in MiB" {...size('memoryMb')} />
        <TextField label="CPU cores" {...size('cpus')} />
        <TextField label="Disk in MiB" {...size('diskMb')} />
      </div>
      <TextArea
        label="Preparation"
        optional
        mono
        rows={1}
        maxLength={10_000}
        placeholder="make fixtures"
        hint="A command that runs once in the workspace, without network, before anybody works. What it makes is in each sandbox and in no delivery."
        value={typed.setup}
        onChange={(event) => set({ setup: event.target.value })}
        error={errors[`${path}.setup`]}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Seconds for a command"
          {...time('commandTime', 'commandMs', 'For checks, tests, and what the agent runs.')}
        />
        <TextField label="Seconds for the preparation" {...time('setupTime', 'setupMs', 'For the command above.')} />
      </div>
    </>
  );
}

const limitText = (most: number, ofAll: number) =>
  most < ofAll ? `Your plan allows ${count(most)}; others up to ${count(ofAll)}.` : `At most ${count(most)}.`;

/** Those that were added to the server; the others are in every sandbox. */
function Tools({ typed: { tools }, set, errors, listing }: FieldsProps) {
  const added = (listing?.tools ?? []).filter(({ isOrdinary }) => !isOrdinary);
  const offered = added.map(({ name, version }) => `${name}@${version}`);
  // A copied task may name others, also without a version. One that is not wanted any more stays, so that it keeps the focus.
  const [dropped, setDropped] = useState<string[]>([]);
  const rows = [...new Set([...offered, ...tools, ...dropped])];
  const ordinary = (listing?.tools ?? []).filter(({ isOrdinary }) => isOrdinary);
  const toggle = (tool: string, isWanted: boolean) => {
    if (!isWanted) setDropped((before) => [...before, tool]);
    set({ tools: isWanted ? [...tools, tool] : tools.filter((each) => each !== tool) });
  };
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-small font-medium">
        Tools <span className="font-normal text-faint">(optional)</span>
      </legend>
      {rows.length > 0 && (
        <ul className="grid gap-x-4 gap-y-1.5 sm:grid-cols-[repeat(auto-fill,minmax(12rem,1fr))]">
          {rows.map((tool) => {
            const at = tools.indexOf(tool);
            // All that follows is for programs and operators.
            const error = at < 0 ? undefined : errors[`${path}.tools.${at}`]?.replace(/ GET \/environments.*/, '');
            return (
              <li key={tool} className={error && 'col-span-full'}>
                <Checkbox
                  label={<bdi className="[overflow-wrap:anywhere]">{tool.replace('@', ' ')}</bdi>}
                  hint={error && <span className="text-bad">{error}</span>}
                  aria-invalid={error ? true : undefined}
                  checked={at >= 0}
                  onChange={(event) => toggle(tool, event.target.checked)}
                />
              </li>
            );
          })}
        </ul>
      )}
      {errors[`${path}.tools`] && <p className="text-small text-bad">{errors[`${path}.tools`]}</p>}
      {listing && (
        <p className="text-small text-faint">
          {rows.length > 0 && 'With none chosen your files decide, as go.mod does for Go. '}
          Every sandbox has {ordinary.map(({ name, version }) => `${name} ${version}`).join(', ') || 'a shell'}.
        </p>
      )}
    </fieldset>
  );
}

/** Only servers that run sandboxes as containers have any. */
function Images({ typed: { image }, set, errors, listing }: FieldsProps) {
  const images = [...new Set([...(listing?.images ?? []), image])].filter((each) => each !== '');
  if (images.length === 0) return null;
  return (
    <Choice
      label="Container image"
      className="sm:max-w-sm"
      value={image}
      onChange={(event) => set({ image: event.target.value })}
      options={[['', 'Usual for this platform'], ...images.map((each) => [each, each] as const)]}
      error={errors[`${path}.image`]}
    />
  );
}
