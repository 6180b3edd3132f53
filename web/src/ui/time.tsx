import { useSyncExternalStore } from 'react';
import { exactText, timeText } from './time-text.ts';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** Relative time in the user's locale; the exact time in the user's time zone on hover. */
export function Time({ at, form = 'relative' }: { at: string; form?: 'relative' | 'exact' }) {
  const now = useSyncExternalStore(subscribeToMinutes, () => Math.floor(Date.now() / 30_000));
  const instant = new Date(at);
  return (
    <time dateTime={at} title={exact.format(instant)} className="whitespace-nowrap">
      {(form === 'exact' ? exactText : timeText)(instant, Math.max(now * 30_000, Date.now()))}
    </time>
  );
}

function subscribeToMinutes(onChange: () => void): () => void {
  const timer = setInterval(onChange, 30_000);
  return () => clearInterval(timer);
}
