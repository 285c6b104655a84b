import { useState } from 'react';
import { serverUrl } from '../../api/places.ts';
import { TextAnchor, TextLink } from '../../ui/Button.tsx';
import { CopyBlock } from '../../ui/Copy.tsx';
import { ChoiceCards } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Note } from '../../ui/States.tsx';
import { type Snippet, snippets } from './snippets.ts';

const ways = [
  { value: 'mcp', title: 'Assistants', text: 'Claude, Cursor, VS Code and others, by MCP.' },
  { value: 'cli', title: 'Command line', text: 'Everything from a terminal.' },
  { value: 'sdk', title: 'TypeScript', text: 'The SDK, typed by the contract.' },
  { value: 'curl', title: 'HTTP', text: 'Any language; here with curl.' },
] as const;

/** Snippets that work as they are, filled in with this server and a token that was just made. */
export function Connect({ token }: { token: string | undefined }) {
  const [way, setWay] = useState<(typeof ways)[number]['value']>('mcp');
  return (
    <Section
      title="Connect"
      actions={
        <TextAnchor href="docs" className="text-small">
          API documentation
        </TextAnchor>
      }
    >
      <div className="grid gap-5">
        <ChoiceCards legend="From where?" name="way" value={way} onChange={setWay} options={ways} />
        {token ? (
          <Note kind="warn">The snippets hold the token that you have just made. Keep it out of repositories.</Note>
        ) : (
          <Note>
            Put a developer token in place of <code>ac_dev_…</code>. <TextLink to="/developer">Make one</TextLink>, and
            it stands in the snippets.
          </Note>
        )}
        {snippets(serverUrl, token ?? 'ac_dev_…')[way].map((snippet) => (
          <Shown key={snippet.title} {...snippet} />
        ))}
      </div>
    </Section>
  );
}

const Shown = ({ title, text, note }: Snippet) => (
  <div className="grid gap-1.5">
    <h3 className="text-small font-medium">{title}</h3>
    <CopyBlock what={title} text={text} />
    {note && <p className="text-small text-faint">{note}</p>}
  </div>
);
