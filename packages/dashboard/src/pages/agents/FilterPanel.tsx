import { useQueries } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, Choice, MoneyField, TextField } from '../../ui/Field.tsx';
import { centsOf, count } from '../../ui/format.ts';
import { useTyped } from '../../ui/use-typed.ts';
import { facetsQuery, without } from './facets.ts';
import { choices, type Filters, type Search } from './filters.ts';
import { named } from './words.ts';

interface FilterProps {
  search: Search;
  filters: Filters;
  /** `replace`: no new step for the back button, as for each letter that is typed. */
  change: (part: Search, replace?: boolean) => void;
}

/** Words and filters. On a phone the filters wait behind a button. */
export function FilterPanel({ search, filters, change }: FilterProps) {
  const [open, setOpen] = useState(false);
  const [q, setQ, dropQ] = useTyped(search.q, (text) => change({ q: text }, search.q !== undefined));
  const [price, setPrice, dropPrice] = useTyped(search.maxPrice, (text) => {
    if (text === undefined || centsOf(text) !== null) change({ maxPrice: text }, search.maxPrice !== undefined);
  });
  const active = Object.keys(filters).filter((name) => name !== 'q').length;
  const clear = () => {
    dropQ();
    dropPrice();
    change(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  };
  return (
    <search data-filters className="grid gap-4 lg:sticky lg:top-20">
      <TextField
        type="search"
        label="Search"
        placeholder="Name, skill or model"
        value={q}
        maxLength={200}
        onChange={(event) => setQ(event.target.value)}
      />
      <Button className="lg:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
        <SlidersHorizontal aria-hidden /> {active > 0 ? `Filters (${active})` : 'Filters'}
      </Button>
      <div className={`grid gap-4 max-sm:grid-cols-1 max-lg:grid-cols-2 ${open ? '' : 'max-lg:hidden'}`}>
        <Selects filters={filters} change={change} />
        <MoneyField label="Price at most" value={price} onChange={setPrice} placeholder="Any" />
        <Checkbox
          label="Model verified"
          checked={search.modelVerified === 'true'}
          onChange={(event) => change({ modelVerified: event.target.checked ? 'true' : undefined })}
        />
        {Object.keys(filters).length > 0 && (
          <Button kind="quiet" className="-ml-3.5 justify-self-start" onClick={clear}>
            Clear all
          </Button>
        )}
      </div>
    </search>
  );
}

/** Each choice with how many agents it would leave, all other filters standing. */
function Selects({ filters, change }: Omit<FilterProps, 'search'>) {
  const facets = useQueries({ queries: choices.map(({ name }) => facetsQuery(without(filters, name))) });
  return choices.map(({ name, label, any, values }, index) => {
    const counted = facets[index]?.data;
    const counts: Partial<Record<string, number>> = counted?.facets[name] ?? {};
    const text = (value: string) =>
      counted ? `${named(value)} (${count(counts[value] ?? 0)}${counted.exact ? '' : '+'})` : named(value);
    const shown = values.filter((value) => !counted || counts[value] || filters[name] === value);
    return (
      <Choice
        key={name}
        label={label}
        value={filters[name] ?? ''}
        onChange={(event) => change({ [name]: event.target.value || undefined })}
        options={[['', any], ...shown.map((value) => [value, text(value)] as const)]}
      />
    );
  });
}
