import { useState } from 'react';
import { Checkbox, TextField } from '../../ui/Field.tsx';

/** What the server asks of a password. */
const passwordRule = 'At least 8 characters. A few words that only you would put together are good.';
const shortest = 8;

/** What is wrong with a new password, before it is sent; undefined while nothing is. */
export const passwordProblem = (password: string): string | undefined =>
  [...password].length < shortest ? `A password has at least ${shortest} characters.` : undefined;

interface PasswordFieldProps {
  value: string;
  onChange: (password: string) => void;
  label?: string;
  /** A new password follows the rule; one that is there is only compared. */
  isNew?: boolean;
  error?: string | undefined;
  /** The first field of a dialog: the focus goes here when it opens. */
  isFirst?: boolean;
}

/** A password, which can be shown for those who want to see what they type. */
export function PasswordField({ value, onChange, label = 'Password', isNew, error, isFirst }: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <div className="grid gap-2">
      <TextField
        label={label}
        type={isShown ? 'text' : 'password'}
        name={isNew ? 'new-password' : 'password'}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        autoCapitalize="none"
        spellCheck={false}
        required
        maxLength={200}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        {...(isFirst && { ref: beginHere })}
        {...(isNew && { hint: passwordRule })}
        error={error}
      />
      <Checkbox
        label={<span className="text-small text-soft">Show password</span>}
        checked={isShown}
        onChange={(event) => setIsShown(event.target.checked)}
      />
    </div>
  );
}

/** React keeps `autoFocus` to itself, and a dialog looks for the attribute. */
const beginHere = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');
