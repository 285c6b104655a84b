import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { collect, saveFile } from '../../ui/download.ts';
import { count, counted } from '../../ui/format.ts';
import { SoFar } from '../../ui/SoFar.tsx';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import type { Movement } from './data.ts';
import type { Filters } from './filters.ts';

/** Movements that a JSON file takes, page by page; CSV has no limit. */
const jsonRows = 5_000;

/** Saves the movements that the filters match, as CSV or JSON. */
export function ExportButtons({ agentId, filter }: { agentId: string | undefined; filter: Filters }) {
  const name = `agora-${agentId ?? 'pool'}`;
  const [size, setSize] = useState(0);
  const save = useMutation({
    mutationFn: async (type: 'csv' | 'json') => {
      setSize(0);
      const { vault } = agora;
      if (type === 'csv') {
        const query = filter as Parameters<typeof vault.exportPoolTransactions>[0];
        const walletQuery = filter as Parameters<typeof vault.exportAgentWalletTransactions>[1];
        const chunks = agentId
          ? vault.exportAgentWalletTransactions(agentId, walletQuery)
          : vault.exportPoolTransactions(query);
        return saveFile(`${name}.csv`, 'text/csv', await collect(chunks, setSize));
      }
      const rows: Movement[] = [];
      const query = { ...filter, pageSize: 100 } as Parameters<typeof vault.poolTransactions>[0];
      const walletQuery = { ...filter, pageSize: 100 } as Parameters<typeof vault.agentWalletTransactions>[1];
      const pages = agentId ? vault.agentWalletTransactions(agentId, walletQuery) : vault.poolTransactions(query);
      for await (const row of pages) {
        if (rows.length === jsonRows) {
          say(`The file has the newest ${count(jsonRows)} movements. CSV has all of them.`);
          break;
        }
        rows.push(row);
        if (rows.length % 100 === 0) setSize(rows.length);
      }
      saveFile(`${name}.json`, 'application/json', [JSON.stringify(rows, null, 2)]);
    },
  });
  return (
    <>
      {(['csv', 'json'] as const).map((type) => (
        <Button key={type} small busy={save.isPending && save.variables === type} onClick={() => save.mutate(type)}>
          <Download aria-hidden />
          {type.toUpperCase()}
        </Button>
      ))}
      {save.isPending &&
        (save.variables === 'csv' ? (
          <SoFar size={size} />
        ) : (
          <span role="status" className="figures text-small text-soft">
            {counted(size, 'movement')} so far
          </span>
        ))}
      <Failure error={save.error} />
    </>
  );
}
