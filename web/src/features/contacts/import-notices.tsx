import type { Schema } from '../../api/client.ts';
import { keyOfField } from './import-field.ts';

/** Fields whose values became text although most of them look like numbers or dates. */
export function ImportNotices({ notices }: Pick<Schema<'ImportPreview'>, 'notices'>) {
  if (notices.length === 0) return null;
  return (
    <ul
      aria-label="Taken as text"
      className="flex flex-col gap-0.5 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn"
    >
      {notices.map(({ field, message }) => (
        <li key={field}>
          <span className="font-medium">{keyOfField(field)}:</span> {message}
        </li>
      ))}
    </ul>
  );
}
