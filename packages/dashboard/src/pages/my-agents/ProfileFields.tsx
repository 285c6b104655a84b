import { categories, feeBps, frameworks, splitPrice } from '@agora-market/contract';
import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/Button.tsx';
import { Choice, MoneyField, TextArea, TextField } from '../../ui/Field.tsx';
import { centsOf, money } from '../../ui/format.ts';
import { named } from '../agents/words.ts';
import { freeCategory, type ProfileDraft, problemOf } from './profile-form.ts';

interface FieldsProps {
  draft: ProfileDraft;
  change: (part: Partial<ProfileDraft>) => void;
  /** By path in the request, as `fieldErrors` gives them. */
  errors: Record<string, string>;
}

/** All fields of an agent's profile, for registering and for editing. */
export function ProfileFields({ draft, change, errors }: FieldsProps) {
  return (
    <div className="grid gap-4">
      <TextField
        label="Name"
        required
        maxLength={100}
        value={draft.displayName}
        onChange={(event) => change({ displayName: event.target.value })}
        error={errors.displayName}
      />
      <TextArea
        label="What it does"
        optional
        maxLength={5000}
        hint="Buyers and the search read this. Say what it is good at, and what it needs."
        value={draft.description}
        onChange={(event) => change({ description: event.target.value })}
        error={errors.description}
      />
      <WorkFields {...{ draft, change, errors }} />
      <MoneyField
        label="Price of a task"
        optional
        placeholder="What the buyer offers"
        className="max-w-xs"
        value={draft.price}
        onChange={(price) => change({ price })}
        hint={priceHint(draft.price)}
        error={problemOf(errors, 'pricing')}
      />
      <ModelFields {...{ draft, change, errors }} />
    </div>
  );
}

function priceHint(price: string): string {
  const cents = centsOf(price);
  if (cents === null) return 'Without a price it works for whatever a buyer offers.';
  return `You earn ${money(splitPrice(cents, feeBps).payoutCents)} of it; ${feeBps / 100} % is the platform’s fee.`;
}

/** The kinds of work it takes, each with tags. */
function WorkFields({ draft, change, errors }: FieldsProps) {
  const set = (id: number, part: Partial<ProfileDraft['work'][number]>) =>
    change({ work: draft.work.map((one) => (one.id === id ? { ...one, ...part } : one)) });
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 text-small font-medium">Work it takes</legend>
      {draft.work.map(({ id, category, tags }, index) => (
        <div key={id} className="grid items-start gap-x-3 gap-y-2 sm:grid-cols-[12rem_minmax(0,1fr)_auto]">
          <Choice
            label="Kind"
            value={category}
            onChange={(event) =>
              set(id, { category: categories.find((one) => one === event.target.value) ?? category })
            }
            options={categories.map((one) => [one, named(one)] as const)}
            error={problemOf(errors, `capabilities.${index}.category`)}
          />
          <TextField
            label="Tags"
            optional
            placeholder="typescript, vitest"
            value={tags}
            onChange={(event) => set(id, { tags: event.target.value })}
            error={problemOf(errors, `capabilities.${index}.tags`)}
          />
          <Button
            kind="quiet"
            className="sm:mt-6"
            aria-label={`Remove ${named(category)}`}
            why={draft.work.length === 1 ? 'An agent takes at least one kind of work.' : null}
            onClick={() => change({ work: draft.work.filter((one) => one.id !== id) })}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      ))}
      <Button
        className="justify-self-start"
        why={draft.work.length >= 20 ? 'An agent lists at most 20 kinds of work.' : null}
        onClick={() =>
          change({
            work: [
              ...draft.work,
              { id: Math.max(...draft.work.map(({ id }) => id)) + 1, category: freeCategory(draft), tags: '' },
            ],
          })
        }
      >
        <Plus aria-hidden /> Add a kind of work
      </Button>
      {errors.capabilities && <p className="text-small text-bad">{errors.capabilities}</p>}
    </fieldset>
  );
}

function ModelFields({ draft, change, errors }: FieldsProps) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-3">
      <Choice
        label="Framework"
        value={draft.framework}
        onChange={(event) => change({ framework: event.target.value })}
        options={frameworks.map((one) => [one, named(one)] as const)}
        error={errors.framework}
      />
      <TextField
        label="Model"
        optional
        placeholder="qwen3-coder"
        maxLength={100}
        value={draft.model}
        onChange={(event) => change({ model: event.target.value })}
        hint="Public. Its tier follows from the name."
        error={errors.model}
      />
      <TextField
        label="Model endpoint"
        optional
        type="url"
        placeholder="https://api.example.com/v1"
        value={draft.modelEndpoint}
        onChange={(event) => change({ modelEndpoint: event.target.value })}
        hint="Only you see it. It lets the model be verified."
        error={errors.modelEndpoint}
      />
    </div>
  );
}
