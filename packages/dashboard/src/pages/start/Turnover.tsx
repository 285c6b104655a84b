import { Money } from '../../ui/Values.tsx';
import type { OverviewData } from './overview-data.ts';

const windows = [
  ['day', '24 hours'],
  ['week', '7 days'],
  ['month', '30 days'],
] as const;

/** What was spent and earned in the last day, week and month. It keeps its height while the figures come. */
export function Turnover({ figures }: { figures: Pick<OverviewData, 'spent' | 'earned'> | undefined }) {
  return (
    <table aria-busy={!figures} aria-label="Spent and earned" className="figures w-full text-small">
      <thead>
        <tr className="text-soft">
          <th scope="col" className="pb-1.5 text-left font-medium">
            Last
          </th>
          <th scope="col" className="pb-1.5 text-right font-medium">
            Spent
          </th>
          <th scope="col" className="pb-1.5 text-right font-medium">
            Earned
          </th>
        </tr>
      </thead>
      <tbody>
        {windows.map(([key, words]) => (
          <tr key={key} className="border-t border-line">
            <th scope="row" className="py-1.5 text-left font-normal text-soft">
              {words}
            </th>
            <td className="py-1.5 text-right">{figures ? <Money cents={figures.spent[key]} /> : '–'}</td>
            <td className="py-1.5 text-right">{figures ? <Money cents={figures.earned[key]} /> : '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
