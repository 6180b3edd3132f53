import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { LeaveDialog, LeaveGuard } from '../../ui/leave-guard.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useLast } from '../../ui/use-last.ts';
import { csvHeader, decodeHeader } from './csv-header.ts';
import { DataValue } from './data-value.tsx';
import { ImportColumns, type Mapping } from './import-columns.tsx';
import { ImportErrors } from './import-errors.tsx';
import { keyOfField } from './import-field.ts';
import { ImportNotices } from './import-notices.tsx';
import { RepeatedRows } from './repeated-rows.tsx';
import { idOfChosen, isNone, noSegment, SegmentChoice } from './segment-choice.tsx';

const headerBytes = 64 * 1024;
const leaveWords = {
  question: 'Leave without importing?',
  loss: 'Nothing has been imported yet. What you chose for this file will be lost.',
};

interface ImportPreviewProps {
  file: File;
  onBack: () => void;
  onStarted: (jobId: string, segmentId: string | undefined) => void;
}

/** The preview of the import with the current column mapping. */
export function ImportPreview({ file, onBack, onStarted }: ImportPreviewProps) {
  const [mapping, setMapping] = useState<Mapping>({});
  const [segment, setSegment] = useState(noSegment);
  const [failure, setFailure] = useState<unknown>(null);
  const [isStarting, setIsStarting] = useState(false);
  // Debounced, because each preview uploads the file again.
  const settled = useDebounced(mapping, 600);
  const { query, columns } = usePreview(file, settled);
  const isDirty = Object.keys(mapping).length > 0 || !isNone(segment);
  const start = async () => {
    setIsStarting(true);
    setFailure(null);
    try {
      const segmentId = isNone(segment) ? undefined : await idOfChosen(segment);
      // A new one stays chosen for the next try.
      if (segmentId !== undefined) setSegment({ id: segmentId, name: '' });
      onStarted(await startImport(file, mapping, segmentId), segmentId);
    } catch (error) {
      setFailure(error);
      setIsStarting(false);
    }
  };
  const { data, error } = query;
  // A mapping that the API refuses says nothing about the columns that it leaves as they were.
  const lastPreview = useLast(data);
  const isCurrent = settled === mapping && !query.isPlaceholderData;
  const usable = data ? data.wouldCreate + data.wouldUpdate : 0;
  return (
    <>
      <LeaveGuard isDirty={isDirty} {...leaveWords} />
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 truncate max-sm:basis-full">
          <span className="font-medium">{file.name}</span>
          {data && <span className="text-muted"> · {quantity(data.totalRows, 'row')}</span>}
        </p>
        <OtherFile isDirty={isDirty} onBack={onBack} />
        <Button
          look="primary"
          isPending={isStarting}
          isDisabled={!data || error !== null || usable === 0 || !isCurrent}
          onPress={() => void start()}
        >
          {data ? `Import ${quantity(usable, 'row')}` : 'Import'}
        </Button>
      </div>
      {failure === null ? (
        <ErrorNote error={error} onRetry={() => void query.refetch()} />
      ) : (
        <ErrorNote error={failure} />
      )}
      {!data && !error && <SkeletonRows rows={5} />}
      {data && !error && <Outlook preview={data} />}
      {columns && columns.length > 0 && (
        <ImportColumns
          columns={columns}
          preview={lastPreview}
          isCurrent={isCurrent && !error}
          mapping={mapping}
          onChange={setMapping}
        />
      )}
      {data && !error && usable > 0 && (
        <Section
          title="Segment"
          description="Optional: a static segment that they join, such as to write only to them."
        >
          <SegmentChoice value={segment} onChange={setSegment} />
        </Section>
      )}
      {data && !error && usable > 0 && <FirstRows preview={data} />}
    </>
  );
}

function OtherFile({ isDirty, onBack }: { isDirty: boolean; onBack: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button onPress={() => (isDirty ? setIsAsking(true) : onBack())}>Choose another file</Button>
      <LeaveDialog isOpen={isAsking} onStay={() => setIsAsking(false)} onLeave={onBack} {...leaveWords} />
    </>
  );
}

/** The preview, and the columns of the file, which are known even without a preview. */
function usePreview(file: File, mapping: Mapping) {
  const [columns, setColumns] = useState<string[] | null>(null);
  const query = useQuery({
    queryKey: ['import preview', file.name, file.size, file.lastModified, mapping],
    queryFn: async () => {
      await requireReadable(file);
      try {
        const preview = await dryRun(file, mapping);
        // Spreadsheets append columns without a name, which the API leaves out.
        setColumns(preview.columns.map(({ name }) => name).filter(Boolean));
        return preview;
      } catch (error) {
        // Without an address column the API returns no preview; the user chooses the column.
        const start = await file.slice(0, headerBytes).arrayBuffer();
        const names = csvHeader(decodeHeader(new Uint8Array(start)));
        setColumns((before) => before ?? (canBeMapped(names) ? names : null));
        throw error;
      }
    },
    placeholderData: (before) => before,
    retry: false,
  });
  return { query, columns };
}

/** False if the file is not text, if two columns have the same name, or if the first row is a contact. */
const canBeMapped = (names: string[]): boolean =>
  new Set(names).size === names.length && !names.some((name) => /\p{Cc}|\uFFFD|\S@\S|^<[!?\w]/u.test(name));

function Outlook({ preview }: { preview: Schema<'ImportPreview'> }) {
  const { totalRows, wouldCreate, wouldUpdate, repeated, invalid, errors, notices, columns } = preview;
  const saysSubscribed = columns.some(({ field }) => field === 'subscribed');
  if (totalRows === 0) return <p>The file has no rows below the names of its columns.</p>;
  return (
    <Section title="What will happen">
      <ul className="flex flex-col gap-1" data-numeric>
        <li>{quantity(wouldCreate, 'new contact')}</li>
        <li>
          {quantity(
            wouldUpdate - repeated,
            'row updates an existing contact',
            'rows update existing contacts',
          )}
        </li>
        {repeated > 0 && <RepeatedRows repeated={repeated} />}
        <li className={invalid > 0 ? 'text-bad' : ''}>{quantity(invalid, 'row')} can’t be used</li>
      </ul>
      {!saysSubscribed && (
        <p className="text-sm text-muted">
          No column holds the subscription: new contacts are subscribed, and existing ones stay as they are.
        </p>
      )}
      <ImportNotices notices={notices} />
      <ImportErrors errors={errors} total={invalid} />
    </Section>
  );
}

type PreviewRow = Schema<'ImportPreview'>['preview'][number];

const subscribedColumn: Column<PreviewRow> = {
  header: 'Subscribed',
  cell: ({ subscribed }) => <DataValue value={subscribed} />,
};

function FirstRows({ preview: { preview, columns } }: { preview: Schema<'ImportPreview'> }) {
  const saysSubscribed = columns.some(({ field }) => field === 'subscribed');
  const keys = columns.flatMap(({ field }) =>
    field === null || field === 'email' || field === 'subscribed' ? [] : [keyOfField(field)],
  );
  return (
    <Section title="First rows">
      <Table
        label="First rows"
        rows={preview}
        idOf={({ row }) => String(row)}
        columns={[
          { header: 'Row', cell: ({ row }) => count(row) },
          { header: 'Address', cell: ({ email }) => email },
          ...(saysSubscribed ? [subscribedColumn] : []),
          ...keys.map((key) => ({
            header: key,
            id: `data.${key}`,
            className: 'max-w-64 truncate',
            cell: ({ data }: PreviewRow) => <DataValue value={data[key]} />,
          })),
        ]}
      />
    </Section>
  );
}

/** Browsers don't upload a file that has changed since it was chosen, and report that like a lost connection. */
async function requireReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw new Error('The file has changed since you chose it, or it is gone. Choose it again.', { cause });
  }
}

function formOf(file: File, mapping: Mapping, segmentId = ''): FormData {
  const form = new FormData();
  if (segmentId !== '') form.append('segmentId', segmentId);
  if (Object.keys(mapping).length > 0) form.append('mapping', JSON.stringify(mapping));
  form.append('file', file);
  return form;
}

async function dryRun(file: File, mapping: Mapping): Promise<Schema<'ImportPreview'>> {
  const { data } = await api.POST('/contacts/import', {
    params: { query: { dryRun: 'true' } },
    body: { file: '' },
    bodySerializer: () => formOf(file, mapping),
  });
  if (!data || !('wouldCreate' in data)) throw new Error('The server did not return a preview.');
  return data;
}

async function startImport(file: File, mapping: Mapping, segmentId = ''): Promise<string> {
  await requireReadable(file);
  const { data } = await api.POST('/contacts/import', {
    body: { file: '' },
    bodySerializer: () => formOf(file, mapping, segmentId),
  });
  if (!data || !('jobId' in data)) throw new Error('The server did not start the import.');
  return data.jobId;
}
