import { ProgressBar } from 'react-aria-components/ProgressBar';
import type { Schema } from '../../api/client.ts';
import { count, rate } from '../../ui/numbers.ts';
import { isPartial } from './queries.ts';

/** Progress while the campaign is being sent; the page polls it every other second. */
export function CampaignProgress({ campaign }: { campaign: Schema<'Campaign'> }) {
  const { progress, sentCount, totalRecipients } = campaign;
  return (
    <ProgressBar value={progress ?? 0} aria-label="Recipients processed">
      {({ percentage = 0 }) => (
        <>
          <p className="flex justify-between pb-1.5" data-numeric>
            <span>
              {isPartial(campaign)
                ? `Recipients are being gathered; ${count(sentCount)} sent so far`
                : `${count(sentCount)} of ${count(totalRecipients)} sent`}
            </span>
            <span className="text-muted">{rate(percentage)}</span>
          </p>
          <div className="h-2 overflow-hidden rounded-full bg-hover">
            <div className="h-full bg-accent" style={{ width: `${percentage}%` }} />
          </div>
        </>
      )}
    </ProgressBar>
  );
}
