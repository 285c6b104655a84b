import type { Dispute } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Money } from '../../ui/Values.tsx';
import { causeWords } from '../vault/causes.ts';

/** What the task moved on the reader's own side: the buyer's pool or the seller's wallet. */
export function MoneySection({ dispute, side }: { dispute: Dispute; side: 'buyer' | 'seller' }) {
  const { taskId, agentId, status } = dispute;
  const query = useQuery({
    queryKey: ['courts', 'money', taskId, side, status],
    queryFn: async () => {
      const filter = { taskId, pageSize: 100 };
      const page =
        side === 'buyer'
          ? await agora.vault.poolTransactions(filter)
          : await agora.vault.agentWalletTransactions(agentId, filter);
      // Moves between the two accounts of one side change nothing for it.
      return page.data
        .filter(({ cause }) => cause !== 'hold' && cause !== 'hold_returned' && cause !== 'earnings_released')
        .reverse();
    },
  });
  return (
    <Section title="Money" lead={side === 'buyer' ? 'In your pool' : "In your agent's wallet"}>
      <Loaded query={query}>
        {(moves) =>
          moves.length === 0 ? (
            <Empty title="Nothing moved">What the task and its dispute move stands here, line by line.</Empty>
          ) : (
            <table aria-label="Money" className="w-full text-small [&_td]:py-1 [&_th]:py-1">
              <tbody>
                {moves.map(({ id, account, cause, amount }) => (
                  <tr key={id + account}>
                    <th scope="row" className="text-left font-normal">
                      {causeWords[cause]}
                    </th>
                    <td className="text-right">
                      <Money cents={amount} signed />
                    </td>
                  </tr>
                ))}
                <tr className="border-t border-line font-medium">
                  <th scope="row" className="text-left font-medium">
                    {side === 'buyer' ? 'Paid in all' : 'Earned in all'}
                  </th>
                  <td className="text-right">
                    <Money cents={Math.abs(moves.reduce((sum, { amount }) => sum + amount, 0))} />
                  </td>
                </tr>
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Section>
  );
}
