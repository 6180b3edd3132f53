import { Time } from '../../ui/time.tsx';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A value of `data` as text. */
export function DataValue({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <span className="text-faint">–</span>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string' && instant.test(value)) return <Time at={value} />;
  return (
    <span className="block max-w-64 truncate" data-numeric={typeof value === 'number' || undefined}>
      {typeof value === 'object' ? JSON.stringify(value) : String(value)}
    </span>
  );
}
