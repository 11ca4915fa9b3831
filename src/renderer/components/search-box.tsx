import type { ReactNode } from 'react';

/** The box that a sheet is searched by. Escape empties it first; in an empty one it is the sheet's. */
export function SearchBox({
  name,
  hint = name,
  query,
  onQuery,
}: {
  readonly name: string;
  /** What stands in it while it is empty. */
  readonly hint?: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
}): ReactNode {
  return (
    <input
      type="search"
      aria-label={name}
      placeholder={hint}
      data-first-focus=""
      value={query}
      onChange={({ target }) => onQuery(target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && query !== '') {
          event.preventDefault();
          onQuery('');
        }
      }}
    />
  );
}
