import { useMutation } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { command } from '../../api/commands.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Copy, CopyBlock } from '../../ui/Copy.tsx';
import { Confirm, Dialog } from '../../ui/Dialog.tsx';
import { money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { say } from '../../ui/toast.tsx';
import { sayUndo } from '../../ui/undo.tsx';

const amount = 2_000;

/** Buttons, links, dialogs and what is said after them. */
export function ActionExamples() {
  const [shown, setShown] = useState<'dialog' | 'confirm' | null>(null);
  const work = useMutation({ mutationFn: () => new Promise((resolve) => setTimeout(resolve, 1_500)) });
  const close = () => setShown(null);
  return (
    <Section title="Actions" lead="One primary button where one thing is to be done. What cannot be pressed says why.">
      <div className="grid gap-4">
        <div className="flex flex-wrap gap-2">
          <Button kind="primary">
            <Plus aria-hidden />
            Primary
          </Button>
          <Button>Plain</Button>
          <Button kind="danger">Danger</Button>
          <Button kind="quiet">Quiet</Button>
          <Button why="The task is completed; only a task that waits can be cancelled.">Cannot be pressed</Button>
          <Button busy={work.isPending} onClick={() => work.mutate()}>
            Works for a moment
          </Button>
          <ButtonLink to="/design">A link as a button</ButtonLink>
          <span className="self-center">
            and <TextLink to="/design">a link in text</TextLink>
          </span>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setShown('dialog')}>Open a dialog</Button>
          <Button onClick={() => setShown('confirm')}>Ask before money moves</Button>
          <Button onClick={() => say('Saved.')}>Say what was done</Button>
          <Button onClick={() => sayUndo('Row removed.', () => undefined)}>Say it with undo</Button>
          <Copy text="text" what="an example" />
        </div>
        <CopyBlock text={command('worker --exec ./agent.sh')} what="a command" />
      </div>
      <Dialog title="A dialog" open={shown === 'dialog'} onClose={close}>
        <p>It keeps the focus. Escape, the cross and a press beside it close it.</p>
      </Dialog>
      <Confirm
        title="Withdraw earnings"
        open={shown === 'confirm'}
        onClose={close}
        verb={`Withdraw ${money(amount)}`}
        busy={false}
        error={null}
        onConfirm={close}
      >
        <p>{money(amount)} goes to the bank account of the example. Nothing happens here.</p>
      </Confirm>
    </Section>
  );
}
