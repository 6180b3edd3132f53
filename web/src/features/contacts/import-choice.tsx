import { Upload } from 'lucide-react';
import { useEffect } from 'react';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Button } from '../../ui/button.tsx';
import { sayError } from '../../ui/toast.tsx';

const mostBytes = 5 * 1024 * 1024;

export function ImportChoice({ onFile }: { onFile: (file: File) => void }) {
  const take = (file: File | undefined) => {
    if (!file) return;
    if (file.size > mostBytes)
      sayError(new Error('The file is larger than 5 MB. Split it and import the parts.'));
    else onFile(file);
  };
  usePastedRows(take);
  return (
    <DropZone
      aria-label="Drop a CSV file here"
      onDrop={({ items }) => {
        const file = items.find((item) => item.kind === 'file');
        if (file) void file.getFile().then(take);
      }}
      className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line-strong px-6 py-14 text-center data-[drop-target]:border-accent data-[drop-target]:bg-accent-soft"
    >
      <Upload aria-hidden className="size-6 text-faint" />
      <p className="text-lg font-medium">Drop a CSV file here</p>
      <p className="max-w-lg text-muted">
        The first row names the columns. One holds the address; <code>subscribed</code> is yes or no; all
        others become data. At most 5 MB. Rows copied from a spreadsheet can be pasted here instead. You see a
        preview before anything changes.
      </p>
      <FileTrigger
        acceptedFileTypes={['.csv', '.tsv', '.txt', 'text/csv']}
        onSelect={(files) => take(files?.[0])}
      >
        <Button look="primary">Choose a file</Button>
      </FileTrigger>
    </DropZone>
  );
}

/** Spreadsheets copy cells as text, separated by tabs. */
function usePastedRows(take: (file: File) => void) {
  useEffect(() => {
    const paste = ({ target, clipboardData }: ClipboardEvent) => {
      if (target instanceof Element && target.closest('input, textarea') !== null) return;
      const text = clipboardData?.getData('text/plain') ?? '';
      if (text.trim() !== '') take(new File([text], 'Pasted rows', { type: 'text/csv' }));
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  });
}
