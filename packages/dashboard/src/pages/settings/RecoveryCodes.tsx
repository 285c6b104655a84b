import { Download } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { saveFile } from '../../ui/download.ts';
import { Checkbox } from '../../ui/Field.tsx';
import { Note } from '../../ui/States.tsx';

/** The ten codes, which no other page ever shows. */
export function RecoveryCodes({ codes, onKept }: { codes: string[]; onKept: () => void }) {
  const [isKept, setIsKept] = useState(false);
  const text = `${codes.join('\n')}\n`;
  return (
    <div className="grid gap-4">
      <Note kind="warn">They are shown only now. Without your phone, one of them signs you in, once each.</Note>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-x-6 gap-y-1.5 rounded-base bg-sunken px-4 py-3 font-mono text-small"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => saveFile('agora-recovery-codes.txt', 'text/plain', [text])}>
          <Download aria-hidden />
          Download
        </Button>
        <Copy text={text} what="the recovery codes" />
      </div>
      <Checkbox
        label="I have kept them where I find them without my phone."
        checked={isKept}
        onChange={(event) => setIsKept(event.target.checked)}
      />
      <div className="flex justify-end">
        <Button kind="primary" onClick={onKept} why={isKept ? null : 'Keep the codes first; they are not shown again.'}>
          Done
        </Button>
      </div>
    </div>
  );
}
