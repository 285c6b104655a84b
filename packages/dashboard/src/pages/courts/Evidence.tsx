import { useId, useState } from 'react';
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

/** Evidence as text, typed or read from text files. */
export function EvidenceFields({ evidence, onChange }: { evidence: Piece[]; onChange: (next: Piece[]) => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const set = (place: number, part: Partial<Piece>) =>
    onChange(evidence.map((one, index) => (index === place ? { ...one, ...part } : one)));
  const read = async (file: File | undefined) => {
    if (!file) return;
    const text = file.size > mostChars * 4 ? '' : await file.text();
    if (text === '' || text.length > mostChars || text.includes('\0')) {
      setProblem(`${file.name} is not a text of up to ${count(mostChars)} characters. Paste the part that matters.`);
      return;
    }
    setProblem(null);
    onChange([...evidence, { label: file.name.slice(0, 200), text }]);
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
            <Button kind="quiet" onClick={() => onChange(evidence.filter((_, index) => index !== place))}>
              Remove evidence {place + 1}
            </Button>
          </div>
        </fieldset>
      ))}
      {problem && <Note kind="bad">{problem}</Note>}
      <div className="flex flex-wrap items-center gap-3 text-small">
        <Button why={full} onClick={() => onChange([...evidence, { label: '', text: '' }])}>
          Add evidence
        </Button>
        {!full && (
          <label className="text-soft">
            or a text file:{' '}
            <input
              type="file"
              className="max-w-56 text-small file:mr-2 file:rounded-base file:border file:border-line-strong file:bg-surface file:px-2.5 file:py-1"
              onChange={(event) => {
                void read(event.target.files?.[0]);
                event.target.value = '';
              }}
            />
          </label>
        )}
      </div>
    </div>
  );
}
