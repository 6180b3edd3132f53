import { Check, Clock, TriangleAlert } from 'lucide-react';
import type { Schema } from '../../api/client.ts';
import { CopyText } from '../../ui/copy-button.tsx';
import { Table } from '../../ui/table.tsx';

type DnsRecord = Schema<'Domain'>['records'][number];

const purposes: Record<DnsRecord['purpose'], string> = {
  OWNERSHIP: 'Shows that the domain is yours',
  DKIM: 'Signs your emails',
  MAIL_FROM: 'Receives bounces',
  SPF: 'Allows the provider to send',
  DMARC: 'Tells receivers how to treat forged email',
  INBOUND: 'Receives email',
};

/** Whether sending requires the record. */
export const isRequired = ({ purpose }: DnsRecord): boolean => purpose === 'OWNERSHIP' || purpose === 'DKIM';

/** Whether it is only for receiving email here, which a domain whose email goes elsewhere must not do. */
export const isOptional = ({ purpose }: DnsRecord): boolean => purpose === 'INBOUND';

/** Whether DNS has it, but not as it should be. */
export const isWrong = (record: DnsRecord): boolean => ['other', 'misplaced'].includes(stateOf(record));

/** One record per line, for the person who manages the DNS of the domain. */
export const recordLines = (records: readonly DnsRecord[]): string =>
  records
    .map(({ type, name, value, priority }) =>
      [type, name, priority === undefined ? value : `${priority} ${value}`].join('\t'),
    )
    .join('\n');

const keyOf = ({ type, name, value }: DnsRecord) => `${type} ${name} ${value}`;

/** A table; on phones, which are too narrow for the long values, a list. */
export function DnsRecords({ label, records }: { label: string; records: readonly DnsRecord[] }) {
  return (
    <>
      <ul className="divide-y divide-line border-y border-line md:hidden">
        {records.map((record) => (
          <li key={keyOf(record)} className="flex flex-col gap-1 py-3">
            <p className="flex items-center justify-between">
              <span>
                <span className="font-medium">{record.type}</span>{' '}
                <span className="text-sm text-muted">{purposes[record.purpose]}</span>
              </span>
              <State record={record} />
            </p>
            <CopyText text={record.name} label="Copy the name" />
            <Value record={record} />
          </li>
        ))}
      </ul>
      <div className="max-md:hidden">
        <Table
          label={label}
          rows={records}
          idOf={keyOf}
          columns={[
            { header: 'Status', cell: (record) => <State record={record} /> },
            { header: 'Type', cell: ({ type }) => type },
            { header: 'Name', cell: ({ name }) => <CopyText text={name} label="Copy the name" /> },
            { header: 'Value', cell: (record) => <Value record={record} /> },
            { header: 'Purpose', cell: ({ purpose }) => purposes[purpose], className: 'w-44' },
          ]}
        />
      </div>
    </>
  );
}

const states = {
  found: { Icon: Check, tone: 'text-good', words: 'Found' },
  other: { Icon: TriangleAlert, tone: 'text-bad', words: 'Other value' },
  misplaced: { Icon: TriangleAlert, tone: 'text-bad', words: 'Wrong place' },
  elsewhere: { Icon: Clock, tone: 'text-muted', words: 'Elsewhere' },
  missing: { Icon: Clock, tone: 'text-muted', words: 'Not found' },
};

function stateOf(record: DnsRecord): keyof typeof states {
  const { found, others, misplaced } = record;
  if (found) return 'found';
  if (misplaced) return 'misplaced';
  if (others.length === 0) return 'missing';
  return isOptional(record) ? 'elsewhere' : 'other';
}

function State({ record }: { record: DnsRecord }) {
  const { Icon, tone, words } = states[stateOf(record)];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap ${tone}`}>
      <Icon aria-hidden className="size-4" /> {words}
    </span>
  );
}

/** Where DNS has the record by mistake, and how to correct that. */
function Correction({ record: { type, name, misplaced } }: { record: DnsRecord }) {
  if (misplaced === null) return null;
  if (misplaced.name === name) {
    return (
      <p className="mt-1 text-sm">
        <span className="text-bad">DNS has this value as {misplaced.type}.</span> Enter it as {type}.
      </p>
    );
  }
  const isAppended = misplaced.name.startsWith(`${name}.`);
  const withoutAppended = name.slice(0, -(misplaced.name.length - name.length));
  return (
    <p className="mt-1 text-sm">
      <span className="text-bad">DNS has this record at</span>{' '}
      <code className="text-xs break-all">{misplaced.name}</code>.{' '}
      {isAppended ? (
        <>
          Your DNS provider appends the domain by itself: enter{' '}
          <code className="text-xs break-all">{withoutAppended || '@'}</code> as the name.
        </>
      ) : (
        'Move it to the name that is listed here.'
      )}
    </p>
  );
}

function Value({ record }: { record: DnsRecord }) {
  const { value, priority, purpose, others } = record;
  return (
    <>
      <CopyText text={value} label="Copy the value" />
      {priority !== undefined && <span className="text-xs text-muted"> priority {priority}</span>}
      <Correction record={record} />
      {others.length > 0 && (
        <p className="mt-1 text-sm">
          {isOptional(record) ? (
            'Email to this domain is received here, and should stay there:'
          ) : (
            <span className="text-bad">
              DNS has {others.length === 1 ? 'this instead' : 'these instead'}:
            </span>
          )}
          {others.map((other) => (
            <code key={other} className="block break-all text-xs">
              {other}
            </code>
          ))}
          {purpose === 'MAIL_FROM' && others.length > 1 && 'Only the one above may be there.'}
        </p>
      )}
    </>
  );
}
