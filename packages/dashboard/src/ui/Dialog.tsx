import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { Button } from './Button.tsx';
import { Failure } from './States.tsx';

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  /** For content that needs more than a column of text. */
  wide?: boolean;
  /** Only what is in it closes it: for what is shown once. */
  stays?: boolean;
  /** It does not close while it waits for an answer, which is then shown in it. */
  busy?: boolean;
}

const firstField = ':is(input, select, textarea):not([readonly], [type=radio]:not(:checked))';

/** A window above the page, by the browser's own <dialog>: it keeps the focus, and Escape closes it. */
export function Dialog({ title, open, onClose, children, wide, stays, busy }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!open) dialog?.close();
    if (!open || dialog?.open) return;
    dialog?.showModal();
    // By itself the browser would give the focus to the button that closes it.
    dialog?.querySelector<HTMLElement>(firstField)?.focus();
  }, [open]);
  // One that is taken off the page while it is open would not give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    return () => dialog?.close();
  }, []);
  const mayClose = !stays && !busy;
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      // The event also comes where the page has closed it, and then there is nothing more to close.
      onClose={() => open && !ref.current?.open && onClose()}
      // Older browsers know no `closedby`.
      onCancel={(event) => !mayClose && event.preventDefault()}
      closedby={mayClose ? 'any' : 'none'}
      className={`m-auto max-h-[90dvh] w-[calc(100vw-2rem)] ${wide ? 'max-w-3xl' : 'max-w-lg'} overflow-auto rounded-large border border-line bg-surface p-0 text-ink shadow-raised`}
    >
      {open && (
        <div className="grid gap-4 p-5">
          <div className="flex items-start justify-between gap-4">
            <h2 id={id} className="text-lead font-semibold">
              {title}
            </h2>
            {!stays && (
              <Button
                kind="quiet"
                aria-label="Close"
                why={busy ? waitFirst : null}
                onClick={onClose}
                className="-mt-1 -mr-2 px-2"
              >
                <X aria-hidden />
              </Button>
            )}
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}

export const waitFirst = 'Wait for the answer first.';

interface ConfirmProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** What will happen, with the amount where money moves. */
  children: ReactNode;
  /** The verb on the button: "Withdraw $20.00". */
  verb: string;
  /** The way out, where `Cancel` would be the thing itself. */
  dismiss?: string;
  danger?: boolean;
  why?: string | null | undefined;
  busy: boolean;
  error: unknown;
  onConfirm: () => void;
}

/** Asks before something that costs money or cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { title, open, onClose, children, verb, dismiss = 'Cancel', danger, why, busy, error, onConfirm } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && !why) onConfirm();
  };
  return (
    <Dialog title={title} open={open} onClose={onClose} busy={busy}>
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-3">{children}</div>
        <Failure error={error} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} why={busy ? waitFirst : null}>
            {dismiss}
          </Button>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} why={why}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
