import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkOperation, BulkTarget } from './bulk-run.ts';
import type { ContactQuery } from './contact-filter.ts';
import type { ContactCount } from './use-contact-count.ts';

interface ContactSelectionProps {
  selected: readonly Schema<'Contact'>[];
  onClear: () => void;
  filter: ContactQuery;
  /** The number of matching contacts; counted when the user selects them all. */
  counted: ContactCount;
  /** Number of matches on the page. */
  shown: number;
}

/** Fixed when an operation starts, because the list changes meanwhile. */
interface Started {
  operation: BulkOperation;
  target: BulkTarget;
  total: number;
}

/** Actions on the selected contacts, or on all matching contacts. */
export function ContactSelection({ selected, onClear, filter, counted, shown }: ContactSelectionProps) {
  const [isEverybody, setIsEverybody] = useState(false);
  const [started, setStarted] = useState<Started | null>(null);
  // If the user then changes the selection, it no longer means all matching contacts.
  if (isEverybody && selected.length !== shown) setIsEverybody(false);
  if (selected.length === 0) return null;
  const { total, soFar } = counted;
  const isCounted = total !== undefined || soFar !== null;
  const isAll = isEverybody && selected.length === shown && isCounted;
  const size = isAll ? total : selected.length;
  const begin = (operation: BulkOperation) => {
    if (size === undefined) return;
    setStarted({ operation, target: isAll ? { query: filter } : { contacts: selected }, total: size });
  };
  const selectAll = () => {
    setIsEverybody(true);
    if (total === undefined) counted.start();
  };
  return (
    <section
      aria-label="Selection"
      className="sticky top-(--page-header,0px) z-15 flex flex-wrap items-center gap-2 bg-accent-soft px-4 py-2 max-md:-mx-4 md:rounded-md md:px-3"
    >
      <span className="font-medium" data-numeric role="status">
        {size === undefined
          ? `Counting all that match: ${count(soFar ?? 0)} so far`
          : `${quantity(size, 'contact')} selected`}
      </span>
      {!isAll && selected.length === shown && (total === undefined || total > shown) && (
        <Button look="quiet" onPress={selectAll}>
          {total === undefined
            ? 'Select all that match'
            : `Select all ${quantity(total, 'contact')} that match`}
        </Button>
      )}
      <Button look="quiet" onPress={onClear}>
        Clear
      </Button>
      <span className="flex flex-wrap gap-2 sm:ml-auto">
        <Button isDisabled={size === undefined} onPress={() => begin('add')}>
          Add to a segment
        </Button>
        <Button isDisabled={size === undefined} onPress={() => begin('subscribe')}>
          Subscribe
        </Button>
        <Button isDisabled={size === undefined} onPress={() => begin('unsubscribe')}>
          Unsubscribe
        </Button>
        <Button look="danger" isDisabled={size === undefined} onPress={() => begin('delete')}>
          Delete
        </Button>
      </span>
      {started && (
        <BulkDialog
          {...started}
          isOpen
          onClose={(isDone) => {
            setStarted(null);
            if (isDone) onClear();
          }}
        />
      )}
    </section>
  );
}
