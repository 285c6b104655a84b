import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { counted } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Loaded, Note } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { say } from '../../ui/toast.tsx';
import { Time } from '../../ui/Values.tsx';
import { ConfirmTwoFactor } from './ConfirmTwoFactor.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { SetUpTwoFactor } from './SetUpTwoFactor.tsx';

type Step = 'set-up' | 'renew' | 'off' | { codes: string[] } | null;

const fewCodes = 3;
const refresh = () => queryClient.invalidateQueries({ queryKey: ['settings', 'totp'] });

/** Codes of an authenticator app at each sign-in. */
export function TwoFactor() {
  const totp = useQuery({ queryKey: ['settings', 'totp'], queryFn: () => agora.auth.totp() });
  const [step, setStep] = useState<Step>(null);
  const close = () => setStep(null);
  const showCodes = (codes: string[]) => {
    setStep({ codes });
    void refresh();
  };
  return (
    <Section
      title="Second factor"
      lead="With it, signing in also takes a code of an app on your phone, so that a password alone is worth nothing."
    >
      <Loaded query={totp}>
        {({ enabled, enabledAt, recoveryCodesLeft }) => (
          <div className="grid gap-3">
            <div className="flex flex-wrap items-center gap-3 text-small">
              {enabled ? <Status tone="good">On</Status> : <Status tone="calm">Off</Status>}
              {enabledAt && (
                <span className="text-soft">
                  since <Time at={enabledAt} />, {counted(recoveryCodesLeft, 'recovery code')} left
                </span>
              )}
            </div>
            {enabled && recoveryCodesLeft < fewCodes && (
              <Note kind="warn">Few recovery codes are left. Make new ones before you lose your phone.</Note>
            )}
            <div className="flex flex-wrap gap-2">
              {enabled ? (
                <>
                  <Button onClick={() => setStep('renew')}>New recovery codes</Button>
                  <Button kind="danger" onClick={() => setStep('off')}>
                    Turn off
                  </Button>
                </>
              ) : (
                <Button kind="primary" onClick={() => setStep('set-up')}>
                  Set up
                </Button>
              )}
            </div>
          </div>
        )}
      </Loaded>
      <Dialog title="Set up the second factor" open={step === 'set-up'} onClose={close}>
        <SetUpTwoFactor onDone={showCodes} />
      </Dialog>
      <Dialog title="New recovery codes" open={step === 'renew'} onClose={close}>
        <ConfirmTwoFactor
          text="The codes you have now stop working."
          verb="Make new codes"
          act={(body) => agora.auth.renewRecoveryCodes(body)}
          onDone={({ recoveryCodes }) => showCodes(recoveryCodes)}
        />
      </Dialog>
      <Dialog title="Turn the second factor off" open={step === 'off'} onClose={close}>
        <ConfirmTwoFactor
          text="Signing in takes your password alone then, and the recovery codes are gone."
          verb="Turn off"
          danger
          act={(body) => agora.auth.disableTotp(body)}
          onDone={() => {
            close();
            say('The second factor is off.');
            void refresh();
          }}
        />
      </Dialog>
      <Dialog stays title="Keep these recovery codes" open={typeof step === 'object' && step !== null} onClose={close}>
        {typeof step === 'object' && step !== null && <RecoveryCodes codes={step.codes} onKept={close} />}
      </Dialog>
    </Section>
  );
}
