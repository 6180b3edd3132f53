import { keepPreviousData } from '@tanstack/react-query';
import { isTemporary } from '../../api/api-error.ts';
import { $api, type Schema } from '../../api/client.ts';
import { ContactLink } from '../../shell/contact-link.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { Condition } from './condition-builder/condition.ts';
import { findGaps } from './condition-builder/condition-gaps.ts';

/** Contacts that match the current condition; debounced, and only when the condition is complete. */
export function usePreview(condition: Condition) {
  const settled = useDebounced(condition, 400);
  const isComplete = findGaps(settled, 'condition').length === 0;
  return $api.useQuery(
    'post',
    '/segments/preview',
    { body: { condition: { ...settled } } },
    { enabled: isComplete, placeholderData: isComplete ? keepPreviousData : undefined, retry: false },
  );
}

interface SegmentPreviewProps {
  query: ReturnType<typeof usePreview>;
  words: string;
}

export function SegmentPreview({ query, words }: SegmentPreviewProps) {
  const { data, error, isFetching, isPending, refetch } = query;
  return (
    <aside aria-label="Who belongs" className="flex flex-col gap-3 rounded-lg border border-line p-4">
      {(error || data) && <p className="text-sm text-muted">{words}</p>}
      <ErrorNote
        error={error}
        {...(isTemporary(error) && { onRetry: () => void refetch() })}
        isRetrying={isFetching}
      />
      {!error && isPending && (isFetching ? <Skeleton className="h-8 w-24" /> : <Incomplete />)}
      {!error && data && (
        <div className={isFetching ? 'opacity-60' : ''}>
          <p aria-live="polite">
            <span className="text-xl font-semibold" data-numeric>
              {count(data.count)}
            </span>{' '}
            <span className="text-muted">{data.count === 1 ? 'contact' : 'contacts'} right now</span>
          </p>
          <Sample contacts={data.sample} />
        </div>
      )}
    </aside>
  );
}

function Incomplete() {
  return <p className="text-muted">Complete the condition to see who belongs.</p>;
}

function Sample({ contacts }: { contacts: Schema<'Contact'>[] }) {
  if (contacts.length === 0) return null;
  return (
    <>
      <p className="mt-3 text-xs font-medium text-faint">Newest members</p>
      <ul className="mt-1 flex flex-col">
        {contacts.map(({ id, email }) => (
          <li key={id} className="truncate py-0.5 text-sm">
            <ContactLink contactId={id}>{email}</ContactLink>
          </li>
        ))}
      </ul>
    </>
  );
}
