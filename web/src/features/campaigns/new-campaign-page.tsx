import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProject } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { carryInput, useApiForm } from '../../ui/form.ts';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Page } from '../../ui/page.tsx';
import { say } from '../../ui/toast.tsx';
import { useIsShown, useLeave } from '../../ui/use-leave.ts';
import { emptyContent } from '../message-editor/content.ts';
import { blankCondition } from '../segments/condition-builder/condition.ts';
import { CampaignForm } from './campaign-form.tsx';
import { type CampaignValues, campaignBody, campaignSchema } from './campaign-values.ts';
import { campaignListQuery } from './queries.ts';
import { useAudience } from './use-audience.ts';

const blankIn = (language: string): CampaignValues => ({
  name: '',
  ...emptyContent(language),
  audienceType: 'ALL',
  segmentId: '',
  audienceCondition: blankCondition,
});

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/new');

export function NewCampaignPage() {
  const { segment } = route.useSearch();
  const { id: projectId, language } = useProject();
  const blank = blankIn(language);
  const leave = useLeave();
  const isShown = useIsShown();
  const { form, failure, submit } = useApiForm<CampaignValues>({
    schema: campaignSchema,
    defaultValues: segment === undefined ? blank : { ...blank, audienceType: 'SEGMENT', segmentId: segment },
    async save(values, { getValues }) {
      const entered = getValues();
      const { data } = await api.POST('/campaigns', { body: campaignBody(values, null) });
      if (data === undefined) return;
      await refresh('/campaigns');
      say('Draft saved. Nothing has been sent.');
      if (isShown()) carryInput(data.data.id, getValues(), entered);
      await leave({
        to: '/projects/$projectId/campaigns/$campaignId',
        params: { projectId, campaignId: data.data.id },
      });
    },
  });
  const audience = useAudience(form.watch());
  const { data: newest } = useQuery(campaignListQuery({}));
  return (
    <Page
      isWide
      title="New campaign"
      back={{ label: 'Campaigns', to: '/projects/$projectId/campaigns', params: { projectId } }}
      actions={
        <Button look="primary" isPending={form.formState.isSubmitting} onPress={() => submit()}>
          Save draft
        </Button>
      }
    >
      <CampaignForm
        form={form}
        failure={failure}
        audience={audience}
        usualSender={newest && (newest.data[0] ?? null)}
      />
      <LeaveGuard isDirty={form.formState.isDirty} />
    </Page>
  );
}
