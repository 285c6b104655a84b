/** An address of a stranger, shown in full; a link only if it is https. */
export function SafeLink({ href }: { href: string }) {
  if (!/^https:\/\//i.test(href) || !URL.canParse(href)) return <span>{href}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline [overflow-wrap:anywhere]"
    >
      {href}
    </a>
  );
}
