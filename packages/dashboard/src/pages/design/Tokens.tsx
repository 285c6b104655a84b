import { cx } from '../../ui/cx.ts';
import { Section } from '../../ui/Layout.tsx';

const sizes = [
  ['text-tiny', 'Tiny, 12 px: labels of states, notes in rows'],
  ['text-small', 'Small, 13 px: tables, labels, hints, buttons'],
  ['text-base', 'Base, 15 px: what is read'],
  ['text-lead', 'Lead, 17 px: titles of dialogs, first paragraphs'],
  ['text-title font-semibold tracking-tight', 'Title, 22 px: the name of a page'],
  ['text-figure figures font-semibold tracking-tight', 'Figure, 28 px: $1,234.56'],
] as const;

const colours = [
  ['bg-canvas', 'canvas', 'behind everything'],
  ['bg-surface', 'surface', 'what is worked on'],
  ['bg-sunken', 'sunken', 'quoted, hovered, pressed in'],
  ['bg-line', 'line', 'separates'],
  ['bg-line-strong', 'line-strong', 'edges of controls'],
  ['bg-ink', 'ink', 'text'],
  ['bg-soft', 'soft', 'text beside it'],
  ['bg-faint', 'faint', 'notes'],
  ['bg-accent', 'accent', 'the one thing to do'],
  ['bg-accent-wash', 'accent-wash', 'chosen'],
  ['bg-good', 'good', 'went well'],
  ['bg-good-wash', 'good-wash', ''],
  ['bg-bad', 'bad', 'went wrong'],
  ['bg-bad-wash', 'bad-wash', ''],
  ['bg-warn', 'warn', 'needs a look'],
  ['bg-warn-wash', 'warn-wash', ''],
  ['bg-info', 'info', 'goes on'],
  ['bg-info-wash', 'info-wash', ''],
] as const;

/** Type and colours, as theme.css has them. */
export function Tokens() {
  return (
    <>
      <Section title="Type" lead="Inter with tabular figures where numbers stand under one another.">
        <div className="grid gap-3">
          {sizes.map(([look, text]) => (
            <p key={look} className={look}>
              {text}
            </p>
          ))}
        </div>
      </Section>
      <Section
        title="Colour"
        lead="Roles, not hues: each has a value in both themes, and no state is told by colour alone."
      >
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-3 text-small">
          {colours.map(([look, name, use]) => (
            <li key={name}>
              <span className={cx('block h-10 rounded-base border border-line', look)} />
              <span className="mt-1 block font-medium">{name}</span>
              <span className="block min-h-5 text-tiny text-faint">{use}</span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
