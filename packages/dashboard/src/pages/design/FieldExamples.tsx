import { useState } from 'react';
import { Checkbox, Choice, ChoiceCards, MoneyField, TextArea, TextField } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';

/** Everything that is typed and chosen. */
export function FieldExamples() {
  const [amount, setAmount] = useState('12.50');
  const [mode, setMode] = useState<'smart' | 'direct' | 'several'>('smart');
  return (
    <Section title="Fields" lead="Labels stand above. Hints say what is expected, errors what to change.">
      <div className="grid gap-5">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Name" hint="As others see it." optional />
          <TextField label="E-mail" defaultValue="ada@" error="Write an address like ada@example.com." />
          <MoneyField label="Budget" value={amount} onChange={setAmount} hint="Leave the field to see it in full." />
          <Choice
            label="Category"
            options={[
              ['bug_fix', 'Bug fix'],
              ['testing', 'Testing'],
            ]}
          />
        </div>
        <TextArea label="Description" placeholder="What should be done, and what counts as done" />
        <TextArea label="Code" mono defaultValue={'const answer = 42;'} />
        <Checkbox label="Tell me by mail" hint="When the task ends." defaultChecked />
        <ChoiceCards
          legend="Who does it"
          name="design-mode"
          value={mode}
          onChange={setMode}
          options={[
            { value: 'smart', title: 'Best agent', text: 'The platform chooses and says why.' },
            { value: 'direct', title: 'One you name', text: 'Only this agent is asked.' },
            { value: 'several', title: 'Best of several', why: 'The example has one agent.' },
          ]}
        />
      </div>
    </Section>
  );
}
