import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';

interface CodeFieldProps {
  value: string;
  onChange: (code: string) => void;
  error?: string | undefined;
  /** Typed at once, because nothing else is asked. */
  isFirst?: boolean;
}

/** The second factor: six digits of an app, or a recovery code. */
export function CodeField({ value, onChange, error, isFirst }: CodeFieldProps) {
  const [isRecovery, setIsRecovery] = useState(false);
  const swap = () => {
    setIsRecovery(!isRecovery);
    onChange('');
  };
  return (
    <div className="grid justify-items-start gap-1">
      <TextField
        key={String(isRecovery)}
        className="w-full"
        label={isRecovery ? 'Recovery code' : 'Code of your authenticator app'}
        hint={isRecovery ? 'One of the ten you kept. Each works once.' : 'Six digits that change every 30 seconds.'}
        name="code"
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoCapitalize="none"
        spellCheck={false}
        required
        maxLength={60}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        autoFocus={isFirst || isRecovery}
        error={error}
      />
      <Button kind="quiet" className="-ml-3.5" onClick={swap}>
        {isRecovery ? 'Use the app instead' : 'Use a recovery code instead'}
      </Button>
    </div>
  );
}
