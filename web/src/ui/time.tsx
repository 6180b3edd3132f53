import { useSyncExternalStore } from 'react';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const units = [
  ['second', 1],
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;

/** "3 minutes ago" up to a week, the date beyond. */
export function timeText(instant: Date, now: number): string {
  const seconds = (instant.getTime() - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return day.format(instant);
  const [unit, size] = units.findLast(([, length]) => Math.abs(seconds) >= length) ?? units[0];
  return relative.format(Math.round(seconds / size), unit);
}

/** Distance from now in the reader's words; the exact instant in the reader's zone on hover. */
export function Time({ at, form = 'relative' }: { at: string; form?: 'relative' | 'exact' }) {
  const now = useSyncExternalStore(subscribeToMinutes, () => Math.floor(Date.now() / 30_000));
  const instant = new Date(at);
  return (
    <time dateTime={at} title={exact.format(instant)} className="whitespace-nowrap">
      {form === 'exact' ? dayAndTime.format(instant) : timeText(instant, Math.max(now * 30_000, Date.now()))}
    </time>
  );
}

function subscribeToMinutes(onChange: () => void): () => void {
  const timer = setInterval(onChange, 30_000);
  return () => clearInterval(timer);
}
