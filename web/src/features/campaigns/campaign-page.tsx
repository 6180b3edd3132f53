import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Loaded } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { CampaignEditor } from './campaign-editor.tsx';
import { CampaignReport } from './campaign-report.tsx';
import { campaignQuery, isUnsent, pollMs } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId');

/** Edits and sends a draft. Once the campaign has started and nothing unsaved is left, shows the report. */
export function CampaignPage() {
  const projectId = useProjectId();
  const { campaignId } = route.useParams();
  const query = useQuery({
    ...campaignQuery(campaignId),
    refetchInterval: ({ state }) => state.data !== undefined && pollMs([state.data.data]),
  });
  const { data } = query;
  const [isDirty, setIsDirty] = useState(false);
  const isEdited = data !== undefined && (isUnsent(data.data) || isDirty);
  const wasEdited = useRef(false);
  useLayoutEffect(() => {
    // The report replaces an editor that may have been scrolled to its end.
    if (wasEdited.current && !isEdited) window.scrollTo(0, 0);
    wasEdited.current = isEdited;
  }, [isEdited]);
  if (data === undefined) {
    return (
      <Page
        title="Campaign"
        back={{ label: 'Campaigns', to: '/projects/$projectId/campaigns', params: { projectId } }}
      >
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const campaign = data.data;
  return isEdited ? (
    <CampaignEditor campaign={campaign} onDirty={setIsDirty} />
  ) : (
    <CampaignReport campaign={campaign} />
  );
}
