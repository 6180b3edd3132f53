import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { quantity } from '../../ui/numbers.ts';
import { say, sayError } from '../../ui/toast.tsx';
import type { ContactQuery } from './contact-filter.ts';
import { download } from './download.ts';

/** Downloads the matching contacts as a CSV file, which can be imported again. */
export function ExportButton({ filter, total }: { filter: ContactQuery; total: number | undefined }) {
  const [isPending, setIsPending] = useState(false);
  const run = async () => {
    setIsPending(true);
    try {
      const { data } = await api.GET('/contacts/export', { params: { query: filter }, parseAs: 'blob' });
      if (data) download(data as unknown as Blob, 'contacts.csv');
      say(total === undefined ? 'Exported' : `${quantity(total, 'contact')} exported`);
    } catch (error) {
      sayError(error);
    } finally {
      setIsPending(false);
    }
  };
  return (
    <Button isPending={isPending} isDisabled={total === 0} onPress={() => void run()}>
      Export
    </Button>
  );
}
