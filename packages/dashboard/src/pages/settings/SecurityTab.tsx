import { ChangePassword } from './ChangePassword.tsx';
import { Sessions } from './Sessions.tsx';
import { TwoFactor } from './TwoFactor.tsx';

/** What keeps others out. */
export function SecurityTab() {
  return (
    <>
      <ChangePassword />
      <TwoFactor />
      <Sessions />
    </>
  );
}
