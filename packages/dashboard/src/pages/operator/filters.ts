import { useNavigate, useSearch } from '@tanstack/react-router';

/** What the address of the operator area says: the part, the thing that is shown, and the filters of its list. */
export type OperatorSearch = ReturnType<typeof useOperatorSearch>;

export const useOperatorSearch = () => useSearch({ from: '/owner/operator' });

/** Changes some of it; `replace`: no new step for the back button, as for each letter that is typed. */
export function useChange(): (part: Partial<OperatorSearch>, replace?: boolean) => void {
  const navigate = useNavigate({ from: '/operator' });
  return (part, replace = false) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...part }).filter(([, value]) => value !== undefined)),
      replace,
    });
}

/** One of the values, or none where the address has another. */
export const oneOf = <V extends string>(values: readonly V[], text: string | undefined): V | undefined =>
  values.find((value) => value === text);

export const isId = (text: string, ...prefixes: string[]): boolean =>
  prefixes.some((prefix) => new RegExp(`^${prefix}_[0-9a-z]{26}$`).test(text));
