import { type FormEvent, useState } from 'react';
import { Button } from './Button.tsx';
import { TextField } from './Field.tsx';
import { fieldErrors } from './form.ts';
import { Once } from './Once.tsx';
import { Failure } from './States.tsx';

interface MakeSecretProps {
  /** `trust key`, `developer token` */
  what: string;
  placeholder: string;
  hint: string;
  create: { mutateAsync: (name: string) => Promise<unknown>; isPending: boolean; error: unknown };
  /** What was made, as long as this page is open. */
  secret: string | undefined;
}

/** Names and makes a key or token, and shows it once. */
export function MakeSecret({ what, placeholder, hint, create, secret }: MakeSecretProps) {
  const [name, setName] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending || !name.trim()) return;
    await create.mutateAsync(name).then(
      () => setName(''),
      () => undefined,
    );
  };
  const why = name.trim() ? null : 'Give it a name first.';
  return (
    <div className="grid gap-4">
      {secret !== undefined && (
        <Once key={secret} secret={secret} what={what}>
          If you lose it, make another one and revoke this.
        </Once>
      )}
      <form onSubmit={submit} className="grid max-w-lg items-start gap-3 sm:grid-cols-[minmax(0,1fr)_auto]">
        <TextField
          label="Name"
          maxLength={200}
          placeholder={placeholder}
          hint={hint}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={fieldErrors(create.error).name}
        />
        <Button type="submit" kind="primary" className="sm:mt-6" busy={create.isPending} why={why}>
          Make {what}
        </Button>
      </form>
      <Failure error={create.error} />
    </div>
  );
}
