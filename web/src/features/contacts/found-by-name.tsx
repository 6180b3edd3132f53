import { useQuery } from '@tanstack/react-query';
import { $api, type Schema } from '../../api/client.ts';
import { ContactLink } from '../../shell/contact-link.tsx';
import { quantity } from '../../ui/numbers.ts';
import { keyLabel } from './key-label.ts';
import { fieldsQuery } from './queries.ts';

/** Enough for first names, last names and companies. */
const mostFields = 5;

/** Keys of `data` such as `firstName`, `Nachname` or `nombre`. */
const nameKeysOf = (fields: readonly Schema<'ContactField'>[]): string[] =>
  fields
    .filter(
      ({ isCustom, type, field }) => isCustom && type === 'string' && /nam|nom|company|firma/i.test(field),
    )
    .map(({ field }) => field.slice('data.'.length))
    .slice(0, mostFields);

/** The newest contacts whose name contains the text: the list itself is searched by address only. */
export function FoundByName({ text }: { text: string }) {
  const { data: known } = useQuery(fieldsQuery);
  const keys = nameKeysOf(known?.fields ?? []);
  const groups = keys.map((key) => ({
    filters: [{ field: `data.${key}`, operator: 'contains' as const, value: text }],
  }));
  const { data } = $api.useQuery(
    'post',
    '/segments/preview',
    { body: { condition: { logic: 'OR', groups } } },
    { enabled: keys.length > 0, retry: false },
  );
  if (data === undefined || data.count === 0) return null;
  const nameOf = (contact: Schema<'Contact'>) =>
    keys.flatMap((key) => (typeof contact.data[key] === 'string' ? contact.data[key] : [])).join(' ');
  return (
    <section aria-label="Found by name" className="mb-4 rounded-lg border border-line px-4 py-3">
      <p className="text-sm text-muted">
        {quantity(data.count, 'contact')} with “{text}” in {keys.map(keyLabel).join(' or ')}
        {data.count > data.sample.length && `; the newest ${data.sample.length}:`}
      </p>
      <ul className="mt-1 flex flex-col gap-0.5">
        {data.sample.map((contact) => (
          <li key={contact.id} className="flex flex-wrap gap-x-2">
            <ContactLink contactId={contact.id} className="max-w-full truncate">
              {contact.email}
            </ContactLink>
            <bdi className="max-w-full truncate text-muted">{nameOf(contact)}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
