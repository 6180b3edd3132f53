import { ChoiceFilter, type ChoiceFilterProps } from './choice-filter.tsx';
import { ListSearch } from './list-search.tsx';
import { Select } from './select.tsx';

const orders = [
  { value: 'createdAt', label: 'Newest first' },
  { value: 'updatedAt', label: 'Last changed first' },
  { value: 'name', label: 'By name' },
] as const;

type Order = (typeof orders)[number]['value'];

export interface ListToolbarProps<Kind extends string> {
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
  filter: Omit<ChoiceFilterProps<Kind>, 'className'>;
  sort: Order | undefined;
  onSort: (sort: Order | undefined) => void;
}

/** Search, filter and order of a list. Undefined stands for the list's default. */
export function ListToolbar<Kind extends string>(props: ListToolbarProps<Kind>) {
  const { search, onSearch, filter, sort, onSort } = props;
  return (
    <>
      <ListSearch label="Search names and subjects" value={search} onChange={onSearch} />
      <ChoiceFilter {...filter} className="w-40" />
      <Select
        label="Order"
        isLabelHidden
        className="w-44"
        options={orders}
        value={sort ?? 'createdAt'}
        onChange={(value) => onSort(value === 'createdAt' ? undefined : value)}
      />
    </>
  );
}
