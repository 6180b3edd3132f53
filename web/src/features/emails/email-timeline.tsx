import type { Schema } from '../../api/client.ts';
import { classNames } from '../../ui/class-names.ts';
import { Time } from '../../ui/time.tsx';

type Entry = Schema<'EmailDetail'>['timeline'][number];

const colors: Record<Entry['type'], string> = {
  accepted: 'bg-line-strong',
  waiting: 'bg-line-strong',
  sent: 'bg-line-strong',
  cancelled: 'bg-line-strong',
  delivered: 'bg-good',
  opened: 'bg-accent',
  clicked: 'bg-accent',
  unknown: 'bg-warn',
  suppressed: 'bg-warn',
  unsubscribed: 'bg-warn',
  bounced: 'bg-bad',
  complained: 'bg-bad',
  failed: 'bg-bad',
};

/** Oldest first, in the order of the API. */
export function EmailTimeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <ol>
      {entries.map((entry, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: an event may repeat to the millisecond
          key={index}
          className="relative flex gap-3 pb-3 last:pb-0"
        >
          {index < entries.length - 1 && (
            <span aria-hidden className="absolute top-4 bottom-0 left-[3.5px] w-px bg-line-strong" />
          )}
          <span
            aria-hidden
            className={classNames('mt-1.5 size-2 shrink-0 rounded-full', colors[entry.type])}
          />
          <span className="min-w-0 flex-1 break-words">
            {entry.text}
            {entry.diagnostic && (
              <span className="block font-mono text-xs text-muted">{entry.diagnostic}</span>
            )}
          </span>
          {entry.at && (
            <span className="shrink-0 text-sm text-muted">
              <Time at={entry.at} form="exact" />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
