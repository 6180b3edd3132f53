import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { quantity } from '../../ui/numbers.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkOperation, BulkTarget } from './bulk-run.ts';
import type { ContactQuery } from './contact-filter.ts';

interface ContactSelectionProps {
  ids: ReadonlySet<string>;
  onClear: () => void;
  filter: ContactQuery;
  /** Number of matching contacts, and of those on the page. */
  total: number;
  shown: number;
}

/** Fixed at the start, because the list changes meanwhile. */
interface Started {
  operation: BulkOperation;
  target: BulkTarget;
  total: number;
}

/** Actions on the selected contacts, or on all that match. */
export function ContactSelection({ ids, onClear, filter, total, shown }: ContactSelectionProps) {
  const [isEverybody, setIsEverybody] = useState(false);
  const [started, setStarted] = useState<Started | null>(null);
  if (ids.size === 0) return null;
  const isAll = isEverybody && ids.size === shown;
  const count = isAll ? total : ids.size;
  const begin = (operation: BulkOperation) =>
    setStarted({ operation, target: isAll ? { query: filter } : { ids: [...ids] }, total: count });
  return (
    <section
      aria-label="Selection"
      className="flex flex-wrap items-center gap-2 rounded-md bg-accent-soft px-3 py-2"
    >
      <span className="font-medium" data-numeric>
        {quantity(count, 'contact')} selected
      </span>
      {!isAll && ids.size === shown && total > shown && (
        <Button look="quiet" onPress={() => setIsEverybody(true)}>
          Select all {quantity(total, 'contact')} that match
        </Button>
      )}
      <Button look="quiet" onPress={onClear}>
        Clear
      </Button>
      <span className="flex flex-wrap gap-2 sm:ml-auto">
        <Button onPress={() => begin('subscribe')}>Subscribe</Button>
        <Button onPress={() => begin('unsubscribe')}>Unsubscribe</Button>
        <Button look="danger" onPress={() => begin('delete')}>
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
