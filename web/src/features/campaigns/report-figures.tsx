import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.ts';
import { Loaded } from '../../ui/list.tsx';
import { cardCount, quantity, rate } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { figuresQuery, isPartial, reportMs } from './queries.ts';

const figures = [
  { label: 'Delivered', part: 'deliveredCount', share: 'deliveryRate' },
  { label: 'Opened', part: 'openedCount', share: 'openRate' },
  { label: 'Clicked', part: 'clickedCount', share: 'clickRate' },
  { label: 'Bounced', part: 'bouncedCount', share: 'bounceRate' },
  { label: 'Reported as spam', part: 'complainedCount', share: 'complaintRate' },
  { label: 'Unsubscribed', part: 'unsubscribedCount', share: 'unsubscribeRate' },
] as const;

/** Rates with their exact counts. They keep changing for days as reports of mail servers arrive. */
export function ReportFigures({ campaign }: { campaign: Schema<'Campaign'> }) {
  const isRunning = campaign.status === 'SENDING';
  const query = useQuery({ ...figuresQuery(campaign.id), refetchInterval: isRunning ? 2_000 : reportMs });
  return (
    <Loaded query={query} skeleton={<Skeleton className="h-24 w-full" />}>
      {(stats) => (
        <dl
          aria-label="Figures"
          className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 xl:grid-cols-7"
        >
          <Figure
            label="Sent"
            value={cardCount(stats.sentCount)}
            note={sentNote(campaign, stats.totalRecipients)}
          />
          {figures.map(({ label, part, share }) => (
            <Figure
              key={part}
              label={label}
              value={rate(stats[share])}
              note={quantity(stats[part], 'person', 'people')}
            />
          ))}
        </dl>
      )}
    </Loaded>
  );
}

function sentNote(campaign: Schema<'Campaign'>, totalRecipients: number): string {
  if (!isPartial(campaign)) return `of ${quantity(totalRecipients, 'recipient')}`;
  return campaign.status === 'SENDING' ? 'so far' : 'before it was cancelled';
}

function Figure({ label, value, note }: { label: string; value: string; note: string }) {
  return (
    <div className="bg-canvas px-3 py-2.5 last:col-span-2 sm:last:col-span-3 xl:last:col-span-1" data-numeric>
      <dt className="text-sm text-muted">{label}</dt>
      <dd>
        <span className="block text-xl font-semibold">{value}</span>
        <span className="text-xs text-muted">{note}</span>
      </dd>
    </div>
  );
}
