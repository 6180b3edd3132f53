import { useState } from 'react';
import { Button } from './button.tsx';
import { download } from './download.ts';
import { quantity } from './numbers.ts';
import { say, sayError } from './toast.tsx';

interface ExportButtonProps {
  /** Reads the file. */
  read: () => Promise<{ data?: unknown }>;
  /** Of the file. */
  name: string;
  /** Number of contacts in the file, if it is known. */
  total?: number | undefined;
  label?: string;
}

/** Downloads a list as a CSV file. One of contacts can be imported again. */
export function ExportButton({ read, name, total, label = 'Export' }: ExportButtonProps) {
  const [isPending, setIsPending] = useState(false);
  const run = async () => {
    setIsPending(true);
    try {
      const { data } = await read();
      if (data) download(data as Blob, name);
      say(total === undefined ? 'Exported' : `${quantity(total, 'contact')} exported`);
    } catch (error) {
      sayError(error);
    } finally {
      setIsPending(false);
    }
  };
  return (
    <Button isPending={isPending} isDisabled={total === 0} onPress={() => void run()}>
      {label}
    </Button>
  );
}
