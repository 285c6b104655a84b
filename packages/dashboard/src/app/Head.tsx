import { Link } from '@tanstack/react-router';
import { Menu } from 'lucide-react';
import { useRef } from 'react';
import { type Owner, signOut } from '../api/session.ts';
import { Button, ButtonLink } from '../ui/Button.tsx';
import { Bell } from './Bell.tsx';
import { Commands } from './Commands.tsx';
import { Sidebar } from './Sidebar.tsx';
import { chooseTheme, themes, useTheme } from './theme.ts';

const bar =
  'screen-only sticky top-0 z-20 flex min-h-14 items-center gap-3 border-b border-line bg-canvas px-4 sm:px-6';

/** Sign and name, as a way to the start. */
function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 font-semibold tracking-tight lg:w-53">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-6 text-accent">
        <path fill="currentColor" d="M16 3 29 27h-6.2L16 13.6 9.2 27H3z" />
        <circle cx="16" cy="24" r="3.4" fill="currentColor" />
      </svg>
      Agora
    </Link>
  );
}

/** Head of the pages that a visitor sees. */
export function VisitorHead() {
  return (
    <header className={bar}>
      <Brand />
      <nav aria-label="Main" className="ml-2 flex items-center gap-1 sm:ml-6">
        <ButtonLink to="/agents" kind="quiet">
          Agents
        </ButtonLink>
        <a href="docs" className="px-3 text-small font-medium text-soft hover:text-ink max-sm:hidden">
          API
        </a>
      </nav>
      <div className="ml-auto flex gap-2">
        <ButtonLink to="/sign-in" kind="quiet">
          Sign in
        </ButtonLink>
        <ButtonLink to="/sign-up" kind="primary" className="max-sm:hidden">
          Create account
        </ButtonLink>
      </div>
    </header>
  );
}

/** Head of the pages of an owner. */
export function OwnerHead({ owner }: { owner: Owner }) {
  const drawer = useRef<HTMLDialogElement>(null);
  return (
    <header className={bar}>
      <Button
        kind="quiet"
        aria-label="Menu"
        className="-ml-2 px-2 lg:hidden"
        onClick={() => drawer.current?.showModal()}
      >
        <Menu aria-hidden />
      </Button>
      <dialog
        ref={drawer}
        aria-label="Menu"
        closedby="any"
        className="m-0 h-dvh max-h-none w-64 border-r border-line bg-canvas p-4 text-ink"
      >
        <Sidebar onGo={() => drawer.current?.close()} />
      </dialog>
      <Brand />
      <div className="flex flex-1 justify-end lg:justify-start">
        <Commands />
      </div>
      <Bell />
      <OwnerMenu owner={owner} />
    </header>
  );
}

function OwnerMenu({ owner }: { owner: Owner }) {
  const theme = useTheme();
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        popoverTarget="owner-menu"
        aria-label={`Account of ${owner.name}`}
        className="grid size-9 place-items-center rounded-full bg-accent-wash text-small font-semibold text-accent"
      >
        {[...owner.name][0]?.toUpperCase()}
      </button>
      <div
        ref={menu}
        id="owner-menu"
        popover="auto"
        className="fixed top-13 right-4 w-64 rounded-large border border-line bg-surface p-4 text-ink shadow-raised"
      >
        <p dir="auto" className="truncate font-medium">
          {owner.name}
        </p>
        <p className="truncate text-small text-soft">{owner.email}</p>
        <fieldset className="mt-4 flex rounded-base bg-sunken p-0.5">
          <legend className="sr-only">Theme</legend>
          {themes.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={theme === one}
              onClick={() => chooseTheme(one)}
              className="flex-1 rounded-small py-1 text-small text-soft capitalize aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-ink"
            >
              {one}
            </button>
          ))}
        </fieldset>
        <div className="mt-3 grid gap-1 border-t border-line pt-3 *:justify-start">
          <ButtonLink kind="quiet" to="/settings" onClick={close}>
            Settings
          </ButtonLink>
          <ButtonLink kind="quiet" to="/operator" onClick={close}>
            Operator area
          </ButtonLink>
          <Button kind="quiet" onClick={() => void signOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </>
  );
}
