import { useId, useRef, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextArea, TextField } from '../../ui/Field.tsx';
import { count } from '../../ui/format.ts';
import { Note } from '../../ui/States.tsx';

/** One piece of evidence: an excerpt, a measurement, a link. */
export interface Piece {
  label: string;
  text: string;
}

/** Pieces that one statement takes, and characters of one. */
const most = 10;
const mostChars = 8_000;

/** Why the evidence cannot be sent yet; null if it can. */
export const incomplete = (evidence: readonly Piece[]): string | null =>
  evidence.some(({ label, text }) => !label.trim() || !text.trim())
    ? 'Each piece of evidence needs a name and a text.'
    : null;

/** Evidence as text, typed or read from text files. */
export function EvidenceFields({ evidence, onChange }: { evidence: Piece[]; onChange: (next: Piece[]) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const file = useRef<HTMLInputElement>(null);
  const set = (place: number, part: Partial<Piece>) =>
    onChange(evidence.map((one, index) => (index === place ? { ...one, ...part } : one)));
  const read = async (picked: File | undefined) => {
    if (!picked) return;
    const text = picked.size > mostChars * 4 ? '' : await picked.text();
    if (text === '' || text.length > mostChars || text.includes('\0')) {
      setProblem(`${picked.name} is not a text of up to ${count(mostChars)} characters. Paste the part that matters.`);
      return;
    }
    setProblem(null);
    onChange([...evidence, { label: picked.name.slice(0, 200), text }]);
  };
  const full = evidence.length >= most ? `A statement takes ${most} pieces of evidence.` : null;
  return (
    <div className="grid gap-4">
      {evidence.map((one, place) => (
        <fieldset key={`${id}-${place.toString()}`} className="grid gap-3 rounded-base border border-line p-4">
          <legend className="px-1 text-small font-medium">Evidence {place + 1}</legend>
          <TextField
            label="Name"
            value={one.label}
            maxLength={200}
            onChange={(event) => set(place, { label: event.target.value })}
          />
          <TextArea
            label="Text"
            mono
            value={one.text}
            maxLength={mostChars}
            onChange={(event) => set(place, { text: event.target.value })}
          />
          <div>
            <Button
              kind="quiet"
              className="-ml-3.5"
              onClick={() => onChange(evidence.filter((_, index) => index !== place))}
            >
              Remove evidence {place + 1}
            </Button>
          </div>
        </fieldset>
      ))}
      {problem && <Note kind="bad">{problem}</Note>}
      <div className="flex flex-wrap gap-2">
        <Button why={full} onClick={() => onChange([...evidence, { label: '', text: '' }])}>
          Add evidence
        </Button>
        <Button why={full} onClick={() => file.current?.click()}>
          Add a text file
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          aria-label="Text file"
          onChange={(event) => {
            void read(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
      </div>
    </div>
  );
}
