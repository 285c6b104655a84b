import { AgoraError } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { Code } from '../../ui/Values.tsx';
import { asOperator, keepToken } from './operator.ts';

const isWrong = (error: unknown) => error instanceof AgoraError && error.code === 'INVALID_OPERATOR_TOKEN';

/** Asks for the operator's token, and tries it before it is kept. */
export function TokenForm() {
  const [token, setToken] = useState('');
  const check = useMutation({
    mutationFn: async () => {
      await asOperator(token.trim()).courts.docket({ pageSize: 1 });
      return token.trim();
    },
    onSuccess: keepToken,
  });
  const why = token.trim() === '' ? 'Write the token first.' : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !check.isPending) check.mutate();
  };
  return (
    <Page title="Operator" lead="For whoever runs this installation." narrow>
      <Section>
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="Operator token"
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
            error={
              isWrong(check.error)
                ? 'This is not the operator token of this server, or the server has none.'
                : undefined
            }
            hint={
              <>
                The value of <Code>AGORA_OPERATOR_TOKEN</Code>. It stays in this tab’s memory and is forgotten when you
                reload or sign out.
              </>
            }
          />
          {!isWrong(check.error) && <Failure error={check.error} />}
          <div>
            <Button type="submit" kind="primary" busy={check.isPending} why={why}>
              Open
            </Button>
          </div>
        </form>
      </Section>
    </Page>
  );
}
