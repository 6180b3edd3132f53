import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Page } from '../../ui/page.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { CampaignEditor } from './campaign-editor.tsx';
import { CampaignReport } from './campaign-report.tsx';
import { campaignQuery, isUnsent } from './queries.ts';

/** A scheduled one begins by itself. */
const pollMs = (status: Schema<'Campaign'>['status'] | undefined): number | false =>
  status === 'SENDING' ? 2_000 : status === 'SCHEDULED' ? 15_000 : false;

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId');

/** A draft can be edited and sent here; afterwards the page shows the report. */
export function CampaignPage() {
  const projectId = useProjectId();
  const { campaignId } = route.useParams();
  const { data, error, refetch } = useQuery({
    ...campaignQuery(campaignId),
    refetchInterval: ({ state }) => pollMs(state.data?.data.status),
  });
  const isEdited = data !== undefined && isUnsent(data.data);
  const wasEdited = useRef(false);
  useLayoutEffect(() => {
    // The report takes the place of an editor that may have been scrolled to its end.
    if (wasEdited.current && !isEdited) window.scrollTo(0, 0);
    wasEdited.current = isEdited;
  }, [isEdited]);
  if (data === undefined) {
    return (
      <Page
        title="Campaign"
        back={{ label: 'Campaigns', to: '/projects/$projectId/campaigns', params: { projectId } }}
      >
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <SkeletonRows />}
      </Page>
    );
  }
  const campaign = data.data;
  return isEdited ? (
    <CampaignEditor key={campaignId} campaign={campaign} />
  ) : (
    <CampaignReport key={campaignId} campaign={campaign} />
  );
}
