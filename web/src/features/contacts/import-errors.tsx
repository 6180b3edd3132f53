import type { Schema } from '../../api/client.ts';
import { count } from '../../ui/numbers.ts';
import { Table } from '../../ui/table.tsx';

interface ImportErrorsProps {
  errors: Schema<'ImportPreview'>['errors'];
  /** The number of all rejected rows; the API lists only the first ones. */
  total: number;
}

/** Rejected rows with their reasons. */
export function ImportErrors({ errors, total }: ImportErrorsProps) {
  if (errors.length === 0) return null;
  return (
    <>
      {/* Cut off in the middle of a row, to show that there are more. */}
      <div className="max-h-70 overflow-y-auto [--page-header:0px]">
        <Table
          label="Rows that can’t be used"
          rows={errors}
          idOf={({ row }) => String(row)}
          columns={[
            { header: 'Row', cell: ({ row }) => count(row) },
            { header: 'Address', cell: ({ email }) => email },
            { header: 'Why', cell: ({ message }) => message },
          ]}
        />
      </div>
      {total > errors.length && (
        <p className="mt-2 text-sm text-muted">
          The first {count(errors.length)} of {count(total)} are shown.
        </p>
      )}
    </>
  );
}
