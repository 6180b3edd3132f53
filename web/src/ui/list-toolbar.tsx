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
  filter: {
    label: string;
    options: readonly { value: Kind | 'all'; label: string }[];
    value: Kind | undefined;
    onChange: (value: Kind | undefined) => void;
  };
  sort: Order | undefined;
  onSort: (sort: Order | undefined) => void;
}

/** Search, filter and order of a list. Undefined stands for the list's default. */
export function ListToolbar<Kind extends string>(props: ListToolbarProps<Kind>) {
  const { search, onSearch, filter, sort, onSort } = props;
  return (
    <>
      <ListSearch label="Search names and subjects" value={search} onChange={onSearch} />
      <Select
        label={filter.label}
        isLabelHidden
        className="w-40"
        options={filter.options}
        value={filter.value ?? 'all'}
        onChange={(value) => filter.onChange(value === 'all' ? undefined : value)}
      />
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
