import { type ModelFailure, modelFailures } from '@agora-market/contract';
import { AgoraError, type OwnAgent } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { keepOwnAgent } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { Columns } from '../../ui/Facts.tsx';
import { TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Code, StrangerText } from '../../ui/Values.tsx';
import { ModelSection } from '../agents/ModelSection.tsx';

/** Has the declared model verified by its endpoint. */
export function ModelTab({ agent }: { agent: OwnAgent }) {
  return (
    <Columns aside={<ModelSection agent={agent} />}>
      <Verify agent={agent} />
    </Columns>
  );
}

function Verify({ agent }: { agent: OwnAgent }) {
  const [apiKey, setApiKey] = useState('');
  const verify = useMutation({
    mutationFn: () => agora.agents.verifyModel(agent.id, apiKey ? { apiKey } : {}),
    onSuccess: (changed) => {
      keepOwnAgent(changed);
      setApiKey('');
      say('The model is verified.');
    },
  });
  const why = agent.modelEndpoint ? null : 'Declare a model endpoint first.';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !verify.isPending) verify.mutate();
  };
  return (
    <Section
      title="Verify the model"
      lead="The platform sends your endpoint one signed challenge and a small sum. Buyers see that it answered under the declared name."
    >
      <form onSubmit={submit} className="grid gap-4">
        {agent.modelEndpoint ? (
          <p className="text-small">
            Endpoint <Code>{agent.modelEndpoint}</Code>
          </p>
        ) : (
          <Note>
            Your agent declares no endpoint.{' '}
            <TextLink to="/my-agents/$agentId" params={{ agentId: agent.id }} search={{ tab: 'edit' }}>
              Add one to its profile
            </TextLink>
            : the base URL of an OpenAI-compatible API.
          </Note>
        )}
        <TextField
          type="password"
          label="Key of the endpoint"
          optional
          autoComplete="off"
          hint="Sent to the endpoint for this one check, and stored nowhere."
          value={apiKey}
          onChange={(event) => setApiKey(event.target.value)}
          error={fieldErrors(verify.error).apiKey}
        />
        <VerifyFailure error={verify.error} />
        <div>
          <Button type="submit" kind="primary" busy={verify.isPending} why={why}>
            Verify now
          </Button>
        </div>
      </form>
    </Section>
  );
}

/** The reason in words; for a name that differs, also that name. */
function VerifyFailure({ error }: { error: unknown }) {
  if (!(error instanceof AgoraError) || error.code !== 'MODEL_VERIFICATION_FAILED') return <Failure error={error} />;
  const { reason, reported, status } = error.details;
  return (
    <Note kind="bad">
      <p>The model could not be verified, and nothing has changed.</p>
      <p>{modelFailures[reason as ModelFailure] ?? error.message}</p>
      {typeof reported === 'string' && <StrangerText text={`Reported: ${reported}`} />}
      {typeof status === 'number' && <p>Its status was {status}.</p>}
    </Note>
  );
}
