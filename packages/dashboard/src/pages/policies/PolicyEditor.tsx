import { taskMessages } from '@agora-market/contract';
import { AgoraError } from '@agora-market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { MoneyField, TextArea } from '../../ui/Field.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { sayUndo } from '../../ui/undo.tsx';
import { Time } from '../../ui/Values.tsx';
import { Blocked } from './Blocked.tsx';
import { Buyers } from './Buyers.tsx';
import { Categories } from './Categories.tsx';
import { Conflict } from './Conflict.tsx';
import { Hours } from './Hours.tsx';
import {
  bodyOf,
  type Draft,
  editsWith,
  formOf,
  noDraft,
  type Policy,
  type PolicyForm,
  problemOf,
} from './policy-form.ts';
import { policiesQuery, withPolicy } from './queries.ts';

/** What is typed over a stored policy, and how it is saved. Edits are kept apart, so that a change by others shows. */
function usePolicyDraft(policy: Policy) {
  const queries = useQueryClient();
  const [draft, changeDraft, forget, discard] = useKept(`policy.${policy.agentId ?? 'owner'}`, noDraft);
  const stored = formOf(policy);
  const form: PolicyForm = { ...stored, ...draft.edits };
  const isEdited = Object.keys(draft.edits).length > 0;
  const put = (rules: PolicyForm, version: number) => {
    const body = bodyOf(rules, version);
    return policy.agentId ? agora.embassy.setPolicy(policy.agentId, body) : agora.embassy.setOwnerPolicy(body);
  };
  const keep = (after: Policy) =>
    queries.setQueryData(policiesQuery.queryKey, (before = []) => withPolicy(before, after));
  const save = useMutation({
    mutationFn: (sent: Draft) => put({ ...stored, ...sent.edits }, sent.version),
    onSuccess: (after, sent) => {
      keep(after);
      // What was typed meanwhile stands over the rules as they are now.
      changeDraft(({ edits }) => ({ edits: editsWith(edits, {}, formOf(after)), version: after.version }));
      forget({ ...sent, edits: {}, version: after.version });
      // Refused where somebody has changed them again meanwhile.
      sayUndo('Saved. It holds from the next task on.', async () => void keep(await put(stored, after.version)));
    },
    onError: (error) => (isConflict(error) ? queries.invalidateQueries(policiesQuery) : undefined),
  });
  return {
    ...{ form, stored, draft, isEdited, save, forget, discard },
    /** Somebody else changed the policy since the first edit. */
    isBehind: isEdited && draft.version !== policy.version,
    change: (part: Partial<PolicyForm>) =>
      changeDraft({
        edits: editsWith(draft.edits, part, stored),
        version: isEdited ? draft.version : policy.version,
      }),
    /** Puts the edits on top of what others stored. */
    setToBlock: (toBlock: string) => changeDraft({ toBlock }),
    rebase: () => changeDraft({ edits: editsWith(draft.edits, {}, stored), version: policy.version }),
  };
}

const isConflict = (error: unknown) => error instanceof AgoraError && error.code === 'VERSION_CONFLICT';

/** The rules of one policy, to be changed. */
export function PolicyEditor({ policy }: { policy: Policy }) {
  const own = usePolicyDraft(policy);
  const { form, change, save, isEdited, isBehind } = own;
  const errors = fieldErrors(save.error);
  const why = whyNot(own);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !save.isPending) save.mutate(own.draft);
  };
  const fields = { form, change, errors };
  return (
    <Section title="Rules" lead={<Changed policy={policy} />}>
      <form onSubmit={submit} className="grid gap-7">
        {isBehind && (
          <Conflict policy={policy} theirs={own.stored} edits={own.draft.edits} keep={own.rebase} drop={own.forget} />
        )}
        <Spending {...fields} isOwner={policy.agentId === null} />
        <Categories value={form.allowedCategories} onChange={(allowedCategories) => change({ allowedCategories })} />
        <Hours value={form.operatingHours} errors={errors} onChange={(operatingHours) => change({ operatingHours })} />
        <Blocked
          value={form.blockedCounterparties}
          onChange={(blockedCounterparties) => change({ blockedCounterparties })}
          text={own.draft.toBlock}
          setText={own.setToBlock}
        />
        <Buyers value={form.buyerLimits} errors={errors} onChange={(buyerLimits) => change({ buyerLimits })} />
        <TextArea
          label="Answer to questions"
          optional
          rows={3}
          maxLength={taskMessages.defaultAnswerChars}
          hint={`What ${policy.agentId === null ? 'questions about your tasks' : 'questions about tasks of this agent'} are answered with at once. Empty: you are told, and answer yourself.`}
          value={form.defaultAnswer}
          error={errors.defaultAnswer}
          onChange={({ target }) => change({ defaultAnswer: target.value })}
        />
        <Failure error={isConflict(save.error) ? null : save.error} />
        <div className="flex flex-wrap gap-2 border-t border-line pt-4">
          <Button type="submit" kind="primary" busy={save.isPending} why={why}>
            Save rules
          </Button>
          {isEdited && <Button onClick={own.discard}>Discard changes</Button>}
        </div>
      </form>
    </Section>
  );
}

function whyNot({ isEdited, isBehind, form, draft }: ReturnType<typeof usePolicyDraft>): string | null {
  if (draft.toBlock.trim() !== '') return 'Choose whom to block, or clear the field under Blocked first.';
  if (!isEdited) return 'Nothing is changed.';
  if (isBehind) return 'Choose first whose changes stand.';
  return problemOf(form);
}

const Changed = ({ policy }: { policy: Policy }) =>
  policy.updatedAt ? (
    <>
      Version {policy.version}, changed <Time at={policy.updatedAt} />.
    </>
  ) : (
    'Nothing is set yet: everything is allowed.'
  );

interface FieldsProps {
  form: PolicyForm;
  change: (part: Partial<PolicyForm>) => void;
  errors: Record<string, string>;
}

function Spending({ form, change, errors, isOwner }: FieldsProps & { isOwner: boolean }) {
  return (
    <fieldset className="grid gap-4 sm:grid-cols-2">
      <legend className="mb-3 text-base font-semibold">Spending</legend>
      <MoneyField
        label="At most for one task"
        placeholder="No limit"
        hint="All its attempts together. Above it the task is refused."
        value={form.perTransactionMax}
        error={errors.perTransactionMax}
        onChange={(perTransactionMax) => change({ perTransactionMax })}
      />
      <MoneyField
        label="Ask me above"
        placeholder="Never ask"
        hint={`What ${isOwner ? 'an agent' : 'the agent'} wants to buy for more waits for your approval.${isOwner ? ' What you submit yourself never waits.' : ''}`}
        value={form.approvalThreshold}
        error={errors.approvalThreshold}
        onChange={(approvalThreshold) => change({ approvalThreshold })}
      />
    </fieldset>
  );
}
