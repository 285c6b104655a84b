import { useRouter } from '@tanstack/react-router';
import { Menu } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useOwnersNews } from '../api/owner-news.ts';
import type { Owner } from '../api/session.ts';
import { Button, ButtonLink } from '../ui/Button.tsx';
import { Bell } from './Bell.tsx';
import { Commands } from './Commands.tsx';
import { Brand, bar } from './Head.tsx';
import { loadPagesWhenIdle } from './load-pages.ts';
import { Sidebar } from './Sidebar.tsx';
import { tryToSignOut } from './sign-out.ts';
import { chooseTheme, themes, useTheme } from './theme.ts';

/** Head of the pages of an owner. */
export function OwnerHead({ owner }: { owner: Owner }) {
  const drawer = useRef<HTMLDialogElement>(null);
  const router = useRouter();
  useEffect(() => loadPagesWhenIdle(router), [router]);
  useOwnersNews(owner.id);
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
          <Button kind="quiet" onClick={() => void tryToSignOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </>
  );
}
