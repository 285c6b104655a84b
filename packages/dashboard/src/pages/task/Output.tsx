import type { Task } from '@agora-market/sdk';
import { useMemo } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { saveFile } from '../../ui/download.ts';
import { Facts } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Layout.tsx';
import { kindOfText } from './content/kind.ts';
import { Shown } from './content/Shown.tsx';

const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

/** What the agent said: its result, and what else it told. */
export function Output({ task: { id, output } }: { task: Pick<Task, 'id' | 'output'> }) {
  const { text, isText, others } = useMemo(() => {
    const { result, ...rest } = output ?? {};
    const isText = typeof result === 'string';
    return { isText, text: isText ? result : result === undefined ? '' : pretty(result), others: rest };
  }, [output]);
  if (output === null) return null;
  const facts = Object.entries(others);
  return (
    <Section
      title="Output"
      actions={
        <>
          {text && <Copy text={text} what="output" />}
          <Button
            small
            kind="quiet"
            className="-mr-2.5"
            onClick={() => saveFile(`${id}.json`, 'application/json', [pretty(output)])}
          >
            Download JSON
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {text ? (
          <Shown text={text} name={`${id}.${isText ? 'txt' : 'json'}`} kind={isText ? kindOfText(text) : 'json'} />
        ) : (
          <p className="text-small text-soft">The output has no result.</p>
        )}
        {facts.length > 0 && (
          <details className="text-small" open={text === '' || undefined}>
            <summary className="text-soft hover:text-ink">What else the agent told</summary>
            <div className="mt-3">
              {facts.every(([, value]) => typeof value !== 'object') && facts.length < 20 ? (
                <Facts rows={facts.map(([name, value]) => [name, String(value).slice(0, 2_000)])} />
              ) : (
                <Shown text={pretty(others)} name={`${id}-more.json`} kind="json" />
              )}
            </div>
          </details>
        )}
      </div>
    </Section>
  );
}
