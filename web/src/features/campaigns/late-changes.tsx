import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useLeave } from '../../ui/use-leave.ts';
import { type CampaignValues, campaignBody, toCampaignValues, withSuffix } from './campaign-values.ts';

interface LateChangesProps {
  campaign: Schema<'Campaign'>;
  form: UseFormReturn<CampaignValues>;
}

/** Offers to keep or discard changes to a campaign that can no longer be edited. */
export function LateChanges({ campaign, form }: LateChangesProps) {
  const projectId = useProjectId();
  const leave = useLeave();
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const keep = async () => {
    setIsPending(true);
    try {
      const values = form.getValues();
      const body = campaignBody(
        { ...values, name: withSuffix(values.name, ' (Copy)') },
        campaign.description,
      );
      const { data } = await api.POST('/campaigns', { body });
      await refresh('/campaigns');
      if (data === undefined) return;
      await leave({
        to: '/projects/$projectId/campaigns/$campaignId',
        params: { projectId, campaignId: data.data.id },
      });
    } catch (failure) {
      setError(failure);
      setIsPending(false);
    }
  };
  return (
    <section aria-label="Your changes" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      <p role="status">
        {campaign.status === 'CANCELLED'
          ? 'This campaign has been cancelled since, without your changes.'
          : 'This campaign has been sent since, without your changes.'}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button isPending={isPending} onPress={() => void keep()}>
          Keep my changes as a new draft
        </Button>
        <Button look="quiet" onPress={() => form.reset(toCampaignValues(campaign))}>
          Discard my changes
        </Button>
      </div>
      <ErrorNote error={error} className="mt-2" />
    </section>
  );
}
