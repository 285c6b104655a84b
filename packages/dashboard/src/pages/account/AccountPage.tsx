import { type ReactNode, useEffect } from 'react';

interface AccountPageProps {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
  /** The way to the page that was perhaps meant. */
  below?: ReactNode;
}

/** One short form in the middle: signing up and in, and what belongs to it. */
export function AccountPage({ title, lead, children, below }: AccountPageProps) {
  useEffect(() => {
    document.title = `${title} · Agora`;
  }, [title]);
  return (
    <div className="mx-auto w-full max-w-[26rem] px-4 py-10 sm:py-16">
      <h1 className="text-title font-semibold tracking-tight">{title}</h1>
      {lead && <div className="mt-1.5 text-soft">{lead}</div>}
      <div className="mt-6 rounded-large border border-line bg-surface p-5 sm:p-6">{children}</div>
      {below && <div className="mt-5 text-center text-small text-soft">{below}</div>}
    </div>
  );
}
