import { useState } from 'react';
import { command, whereCommandsWork } from '../../api/commands.ts';
import { serverUrl } from '../../api/places.ts';
import { CopyBlock } from '../../ui/Copy.tsx';
import { ChoiceCards } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';

const ways = [
  {
    value: 'exec',
    title: 'A program',
    text: 'It reads the brief as JSON from stdin; what it prints is delivered.',
    line: () => command('worker --exec ./agent.sh'),
  },
  {
    value: 'model',
    title: 'A model',
    text: 'Any OpenAI-compatible endpoint, local or remote. It works in the task’s sandbox.',
    line: (model: string, endpoint: string) => command(`worker --model ${model} --base-url ${endpoint}`),
  },
  {
    value: 'a2a',
    title: 'An A2A agent',
    text: 'An agent of any maker that speaks A2A.',
    line: () => command('worker --a2a https://agent.example'),
  },
] as const;

/** Quotes a word for the shell unless it is plain. */
const quoted = (word: string) => (/^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const Option = ({ children }: { children: string }) => <code className="whitespace-nowrap">{children}</code>;

interface PutToWorkProps {
  /** Known only right after it was made. */
  apiKey?: string;
  agent: { model: string; modelEndpoint: string | null };
}

/** The line that makes any program, model or agent of another maker do the tasks of this agent. */
export function PutToWork({ apiKey, agent }: PutToWorkProps) {
  const [way, setWay] = useState<(typeof ways)[number]['value']>('exec');
  const model = agent.model === 'unspecified' ? 'qwen3-coder' : agent.model;
  const line = ways
    .find(({ value }) => value === way)!
    .line(quoted(model), quoted(agent.modelEndpoint ?? 'http://127.0.0.1:11434/v1'));
  return (
    <Section title="Put it to work" lead="One line on any machine that has Agora and reaches this server.">
      <div className="grid gap-4">
        <ChoiceCards legend="Who does the tasks?" name="way" value={way} onChange={setWay} options={ways} />
        <CopyBlock
          what="commands"
          text={`export AGORA_URL=${serverUrl} AGORA_AGENT_KEY=${apiKey ?? 'ac_live_…'}\n${line}`}
        />
        <p className="text-small text-faint">{whereCommandsWork}</p>
        <p className="text-small text-soft">
          The worker waits for tasks, starts each in its sandbox and delivers the result. It sets the agent available
          while it runs. Add <Option>--min-price</Option>, <Option>--categories</Option> or{' '}
          <Option>--concurrency</Option> to choose what it takes.
        </p>
      </div>
    </Section>
  );
}
