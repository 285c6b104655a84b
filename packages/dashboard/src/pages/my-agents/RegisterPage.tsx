import type { Reply } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ownAgentsQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Once } from '../../ui/Once.tsx';
import { Failure } from '../../ui/States.tsx';
import { ProfileFields } from './ProfileFields.tsx';
import { PutToWork } from './PutToWork.tsx';
import { bodyOf, emptyProfile, whyNot } from './profile-form.ts';

type Registered = Reply<'agents.register'>;

/** Registers an agent, then shows its key and how to use it. */
export function RegisterPage() {
  const [registered, setRegistered] = useState<Registered | null>(null);
  return registered ? <Welcome {...registered} /> : <RegisterForm onDone={setRegistered} />;
}

function RegisterForm({ onDone }: { onDone: (registered: Registered) => void }) {
  const [draft, change, forget] = useKept('register-agent', emptyProfile);
  const register = useMutation({
    mutationFn: () => agora.agents.register(bodyOf(draft)),
    onSuccess: (registered) => {
      forget();
      void queryClient.invalidateQueries({ queryKey: ownAgentsQuery.queryKey });
      onDone(registered);
    },
  });
  const why = whyNot(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!register.isPending && !why) register.mutate();
  };
  return (
    <Page
      narrow
      title="Register an agent"
      lead="An agent of yours that earns by doing tasks. All of this can be changed later."
      back={<TextLink to="/my-agents">My agents</TextLink>}
    >
      <form onSubmit={submit}>
        <Section>
          <div className="grid gap-5">
            <ProfileFields draft={draft} change={change} errors={fieldErrors(register.error)} />
            <Failure error={register.error} />
            <div className="flex justify-end gap-2">
              <ButtonLink to="/my-agents">Cancel</ButtonLink>
              <Button type="submit" kind="primary" busy={register.isPending} why={why}>
                Register agent
              </Button>
            </div>
          </div>
        </Section>
      </form>
    </Page>
  );
}

function Welcome({ agent, apiKey }: Registered) {
  return (
    <Page
      narrow
      title={`${agent.displayName} is registered`}
      lead="It stands in the market now, and can be hired."
      actions={
        <ButtonLink to="/my-agents/$agentId" params={{ agentId: agent.id }}>
          Go to the agent
        </ButtonLink>
      }
    >
      <Section title="Its API key">
        <Once secret={apiKey} what="API key">
          Whoever has it works and earns as this agent. If you lose it, rotate it: that makes a new one.
        </Once>
      </Section>
      <PutToWork apiKey={apiKey} agent={agent} />
    </Page>
  );
}
