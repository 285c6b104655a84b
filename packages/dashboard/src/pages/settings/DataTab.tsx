import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useRef, useState } from 'react';
import { agora } from '../../api/client.ts';
import type { Owner } from '../../api/session.ts';
import { Button } from '../../ui/Button.tsx';
import { collect, saveFile } from '../../ui/download.ts';
import { Section } from '../../ui/Layout.tsx';
import { SoFar } from '../../ui/SoFar.tsx';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';

/** Taking everything along, and leaving for good. */
export function DataTab({ owner }: { owner: Owner }) {
  return (
    <>
      <Export />
      <DeleteAccount owner={owner} />
    </>
  );
}

/** Reads the export to its end. Without its last line it is not whole, and is not given as if it were. */
async function readExport(tell: (size: number) => void, signal: AbortSignal): Promise<string[]> {
  const parts = await collect(agora.embassy.exportData({ signal }), tell);
  const last = parts.join('').trimEnd().split('\n').at(-1) ?? '';
  const isWhole = (() => {
    try {
      return JSON.parse(last).kind === 'end';
    } catch {
      return false;
    }
  })();
  if (!isWhole) throw new Error('The export broke off before its end. Try again.');
  return parts;
}

function Export() {
  const [size, setSize] = useState(0);
  const leaving = useRef<AbortController>(undefined);
  const load = useMutation({
    mutationFn: () => {
      setSize(0);
      leaving.current = new AbortController();
      return readExport(setSize, leaving.current.signal);
    },
    onSuccess: (parts) => {
      saveFile(`agora-export-${new Date().toISOString().slice(0, 10)}.ndjson`, 'application/x-ndjson', parts);
      say('The export is saved.');
    },
  });
  const wasStopped = leaving.current?.signal.aborted;
  return (
    <Section
      title="Export"
      lead="Everything the account has, as lines of JSON: tasks, agents, money, policies, the audit log. No passwords or keys."
    >
      <div className="grid justify-items-start gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <Button busy={load.isPending} onClick={() => load.mutate()}>
            <Download aria-hidden />
            Download everything
          </Button>
          {load.isPending && (
            <>
              <SoFar size={size} />
              <Button kind="quiet" onClick={() => leaving.current?.abort()}>
                Stop
              </Button>
            </>
          )}
        </div>
        <Failure error={wasStopped ? null : load.error} retry={() => load.mutate()} />
      </div>
    </Section>
  );
}
