import { FileText, Upload, X } from 'lucide-react';
import { type DragEvent, useId, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { bytes, count, counted } from '../../ui/format.ts';
import { Note } from '../../ui/States.tsx';
import { chosenFiles, droppedFiles, type GivenFile } from './dropped.ts';
import { type DraftFile, readFiles, withFiles } from './files.ts';

interface DropProps {
  label: string;
  hint: string;
  files: DraftFile[];
  /** Gets how the files change, for what is read meanwhile comes on its own time. */
  onChange: (next: (before: DraftFile[]) => DraftFile[]) => void;
  error?: string | undefined;
  /** What is wrong with the path of one file. */
  rowError: (at: number) => string | undefined;
}

/** Takes files by drop or by choice, and lists them with their paths in the workspace. */
export function FileDrop({ label, hint, files, onChange, error, rowError }: DropProps) {
  const id = useId();
  const [isOver, setIsOver] = useState(false);
  const [refused, setRefused] = useState<string[]>([]);
  const [reading, setReading] = useState<{ done: number; total: number } | null>(null);
  const take = async (given: readonly GivenFile[]) => {
    setRefused([]);
    const read = await readFiles(given, (done) => setReading({ done, total: given.length }));
    setReading(null);
    setRefused((before) => [...new Set([...before, ...read.refused])]);
    if (read.files.length > 0) onChange((before) => withFiles(before, read.files));
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void droppedFiles(event.dataTransfer).then(take);
  };
  return (
    <div className="grid gap-2">
      <label
        htmlFor={id}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
        data-over={isOver || undefined}
        className={cx(
          'flex cursor-pointer items-center gap-3 rounded-base border border-dashed px-4 py-3 has-focus-visible:outline-2 has-focus-visible:outline-accent',
          isOver ? 'border-accent bg-accent-wash' : 'border-line-strong hover:bg-sunken',
        )}
      >
        <Upload aria-hidden className="size-4 shrink-0 text-soft" />
        <span className="min-w-0">
          <span className="block text-small font-medium">{label}</span>
          <span id={`${id}-note`} className="block text-small text-faint">
            {hint}
          </span>
        </span>
        <input
          id={id}
          type="file"
          multiple
          aria-describedby={error ? `${id}-note ${id}-error` : `${id}-note`}
          aria-invalid={error ? true : undefined}
          className="sr-only"
          onChange={(event) => {
            void take(chosenFiles(event.target.files ?? []));
            event.target.value = '';
          }}
        />
      </label>
      {reading && (
        <p role="status" className="figures text-small text-soft">
          {count(reading.done)} of {counted(reading.total, 'file')} read
        </p>
      )}
      {refused.map((text) => (
        <Note key={text} kind="bad">
          {text}
        </Note>
      ))}
      {error && (
        <p id={`${id}-error`} className="text-small text-bad">
          {error}
        </p>
      )}
      {files.length > 0 && <FileList label={label} files={files} onChange={onChange} rowError={rowError} />}
    </div>
  );
}

function FileList({ label, files, onChange, rowError }: Pick<DropProps, 'label' | 'files' | 'onChange' | 'rowError'>) {
  const id = useId();
  const rename = (at: number, path: string) =>
    onChange((before) => before.map((file, nth) => (nth === at ? { ...file, path } : file)));
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-base border border-line">
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the path is being typed
        <li key={at} className="flex flex-wrap items-center gap-2 py-1 pr-1 pl-3 text-small">
          <FileText aria-hidden className="size-4 shrink-0 text-faint" />
          <input
            aria-label={`Path of file ${at + 1} in the workspace`}
            value={file.path}
            onChange={(event) => rename(at, event.target.value)}
            spellCheck={false}
            aria-invalid={rowError(at) ? true : undefined}
            aria-describedby={rowError(at) ? `${id}-${at}` : undefined}
            className="min-h-8 min-w-0 flex-1 rounded-small bg-transparent px-1 font-mono"
          />
          <span className="figures whitespace-nowrap text-faint">
            {file.isBinary && 'binary · '}
            {bytes(file.sizeBytes)}
          </span>
          <Button
            small
            kind="quiet"
            aria-label={`Remove ${file.path}`}
            onClick={() => onChange((before) => before.filter((_, nth) => nth !== at))}
          >
            <X aria-hidden />
          </Button>
          {rowError(at) && (
            <p id={`${id}-${at}`} className="basis-full pb-1 text-bad">
              {rowError(at)}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** How much of the room for text and files is used. */
export function SizeMeter({ used, most }: { used: number; most: number }) {
  const isOver = used > most;
  return (
    <div className="grid gap-1">
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> each in its own way and colours */}
      <div
        role="meter"
        aria-label="Size of text and files"
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={Math.min(used, most)}
        aria-valuetext={`${bytes(used)} of ${bytes(most)}`}
        className="h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div
          className={cx('h-full rounded-full', isOver ? 'bg-bad' : 'bg-accent')}
          style={{ width: `${Math.min(100, (used / most) * 100)}%` }}
        />
      </div>
      <p className={cx('figures text-small', isOver ? 'text-bad' : 'text-faint')}>
        {bytes(used)} of {bytes(most)} for text and files together
        {isOver && '. Remove something, or put it into a repository.'}
      </p>
    </div>
  );
}
