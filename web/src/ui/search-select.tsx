import { ChevronDown } from 'lucide-react';
import type { ReactNode, RefCallback } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Button } from 'react-aria-components/Button';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { SearchField } from 'react-aria-components/SearchField';
import { Select, SelectValue } from 'react-aria-components/Select';
import { classNames } from './class-names.ts';
import { ErrorNote } from './error-note.tsx';
import { FieldNotes, labelLook } from './field.tsx';
import { choiceLook } from './select.tsx';

export interface ItemsQuery {
  data: unknown;
  error: unknown;
  refetch: () => unknown;
}

interface SearchSelectProps {
  label: string;
  isLabelHidden?: boolean;
  value: string | null;
  /** Name of the selected item, which need not be among the items. */
  shown: string | undefined;
  onChange: (value: string) => void;
  search: string;
  onSearch: (search: string) => void;
  /** Placeholder of the search field. */
  searchLabel: string;
  onOpen?: () => void;
  hint?: ReactNode;
  error?: string | undefined;
  placeholder?: string;
  buttonRef?: RefCallback<HTMLButtonElement>;
  className?: string;
  /** The query for the items, while it has no result. */
  query?: ItemsQuery | undefined;
  /** Shown instead of an empty list. */
  empty: ReactNode;
  /** The items that match the search. */
  children: ReactNode;
}

/** A select for lists that are too long to show: the user searches by part of a name. */
export function SearchSelect(props: SearchSelectProps) {
  const { label, isLabelHidden, value, shown, onChange, search, onSearch, searchLabel, onOpen } = props;
  const { hint, error, placeholder = 'Choose', className, query, empty, children } = props;
  const isMissing = query !== undefined && query.data === undefined;
  return (
    <Select
      {...(isLabelHidden && { 'aria-label': label })}
      value={value}
      onChange={(key) => key !== null && onChange(String(key))}
      onOpenChange={(isOpen) => {
        onSearch('');
        if (isOpen) onOpen?.();
      }}
      isInvalid={error !== undefined}
      allowsEmptyCollection
      className={classNames('group/choice flex min-w-0 flex-col gap-1', className)}
    >
      {!isLabelHidden && <Label className={labelLook}>{label}</Label>}
      <Button ref={props.buttonRef} className={choiceLook}>
        <SelectValue className={classNames('truncate', value === null && 'text-faint')}>
          {value === null ? placeholder : (shown ?? '…')}
        </SelectValue>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-faint" />
      </Button>
      <FieldNotes hint={hint} error={error} />
      <Popover
        offset={4}
        className="flex w-72 min-w-(--trigger-width) max-w-[90vw] flex-col overflow-hidden rounded-lg bg-raised shadow-overlay outline-none"
      >
        <Autocomplete inputValue={search} onInputChange={onSearch}>
          <SearchField aria-label={searchLabel} autoFocus>
            <Input
              placeholder={searchLabel}
              className="h-9 w-full border-b border-line bg-transparent px-3 outline-none [&::-webkit-search-cancel-button]:hidden"
            />
          </SearchField>
          {isMissing && (
            <ErrorNote error={query.error} onRetry={() => void query.refetch()} className="m-1" />
          )}
          <ListBox
            className="max-h-72 overflow-y-auto p-1 outline-none"
            renderEmptyState={() => (
              <p className="px-2 py-4 text-center text-muted empty:hidden">
                {!isMissing ? empty : !query.error && 'Loading …'}
              </p>
            )}
          >
            {children}
          </ListBox>
        </Autocomplete>
      </Popover>
    </Select>
  );
}
