import { Link } from '@tanstack/react-router';
import { ButtonLink } from '../ui/Button.tsx';

/** The head of every page. */
export const bar =
  'screen-only sticky top-0 z-20 flex min-h-14 items-center gap-3 border-b border-line bg-canvas px-4 sm:px-6';

/** Sign and name, as a way to the start. */
export function Brand() {
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
