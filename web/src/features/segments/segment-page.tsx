import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { readCondition } from './condition-builder/condition.ts';
import { describeCondition } from './condition-builder/describe-condition.ts';
import { useConditionNames } from './condition-builder/use-condition-names.ts';
import { segmentQuery } from './queries.ts';
import { SegmentActions } from './segment-actions.tsx';
import { SegmentBadges } from './segment-badges.tsx';
import { SegmentMembers } from './segment-members.tsx';
import { SegmentSettings } from './segment-settings.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/segments/$segmentId');

export function SegmentPage() {
  const projectId = useProjectId();
  const { segmentId } = route.useParams();
  const { tab = 'members' } = route.useSearch();
  const query = useQuery(segmentQuery(segmentId));
  const segment = query.data;
  const [isPending, setIsPending] = useState(false);
  return (
    <Page
      title={segment?.name ?? 'Segment'}
      badge={segment && <SegmentBadges segment={segment} />}
      description={segment ? <Meaning segment={segment} /> : ' '}
      back={{ label: 'Segments', to: '/projects/$projectId/segments', params: { projectId } }}
      actions={
        segment && (
          <>
            <SegmentActions segment={segment} />
            {tab === 'members' && (
              <ButtonLink
                to="/projects/$projectId/campaigns/new"
                params={{ projectId }}
                search={{ segment: segment.id }}
              >
                New campaign
              </ButtonLink>
            )}
            {tab === 'settings' && (
              <Button look="primary" type="submit" form="segment" isPending={isPending}>
                Save
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query}>{(loaded) => <SegmentTabs segment={loaded} onPending={setIsPending} />}</Loaded>
    </Page>
  );
}

function SegmentTabs({ segment, onPending }: Parameters<typeof SegmentSettings>[0]) {
  const { tab = 'members' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Tabs
      label="Segment"
      selected={tab}
      onSelect={(id) => void navigate({ search: id === 'members' ? {} : { tab: id } })}
      tabs={[
        {
          id: 'members',
          label: 'Members',
          content: <SegmentMembers segment={segment} />,
        },
        {
          id: 'settings',
          label: segment.type === 'DYNAMIC' ? 'Condition' : 'Settings',
          content: <SegmentSettings segment={segment} onPending={onPending} />,
        },
      ]}
    />
  );
}

function Meaning({ segment }: { segment: Schema<'Segment'> }) {
  const nameOf = useConditionNames([segment.condition]);
  const words =
    segment.type === 'DYNAMIC' ? describeCondition(readCondition(segment.condition), nameOf) : undefined;
  return [segment.description, words].filter(Boolean).join(' · ') || 'Addresses chosen by hand';
}
