import { type Category, categories } from '@agora-market/contract';
import { Checkbox } from '../../ui/Field.tsx';
import { words } from '../../ui/format.ts';

/** Which kinds of work may be bought and taken; null for all. */
export function Categories({
  value,
  onChange,
}: {
  value: Category[] | null;
  onChange: (value: Category[] | null) => void;
}) {
  const toggle = (category: Category, isOn: boolean) =>
    onChange(categories.filter((one) => (one === category ? isOn : value?.includes(one))));
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-3 text-base font-semibold">Categories</legend>
      <Checkbox
        label="Only certain categories"
        hint="Other work is neither bought nor taken."
        checked={value !== null}
        onChange={({ target }) => onChange(target.checked ? [] : null)}
      />
      {value && (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-2 pl-6">
          {categories.map((category) => (
            <Checkbox
              key={category}
              label={words(category)}
              checked={value.includes(category)}
              onChange={({ target }) => toggle(category, target.checked)}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
