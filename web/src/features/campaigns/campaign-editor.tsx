import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { ConflictDialog } from '../message-editor/conflict-dialog.tsx';
import { SaveState } from '../message-editor/save-state.tsx';
import { TestEmailDialog } from '../message-editor/test-email-dialog.tsx';
import { useRecordForm } from '../message-editor/use-record-form.ts';
import { CampaignForm } from './campaign-form.tsx';
import { CampaignMenu } from './campaign-menu.tsx';
import { CampaignStatusBadge } from './campaign-status-badge.tsx';
import { campaignBody, campaignSchema, toCampaignValues } from './campaign-values.ts';
import { CancelCampaignDialog } from './cancel-campaign-dialog.tsx';
import { ScheduleSection, timeWithZone, useSchedule } from './schedule-section.tsx';
import { SendDialog } from './send-dialog.tsx';
import { useAudience } from './use-audience.ts';

type Campaign = Schema<'Campaign'>;

async function read(id: string): Promise<Campaign> {
  const { data } = await api.GET('/campaigns/{id}', { params: { path: { id } } });
  if (data === undefined) throw new Error('The answer is empty');
  return data.data;
}

export function CampaignEditor({ campaign }: { campaign: Campaign }) {
  const { id, status, description, scheduledFor } = campaign;
  const projectId = useProjectId();
  const [dialog, setDialog] = useState<'test' | 'send' | 'cancel' | null>(null);
  const close = () => setDialog(null);
  const { form, failure, submit, run, conflict } = useRecordForm({
    schema: campaignSchema,
    stored: campaign,
    toValues: toCampaignValues,
    read: () => read(id),
    async write(values, header) {
      const params = { path: { id }, header };
      const { data } = await api.PUT('/campaigns/{id}', { params, body: campaignBody(values, description) });
      await refresh('/campaigns');
      return data?.data ?? read(id);
    },
  });
  const { isDirty, isSubmitting } = form.formState;
  const audience = useAudience(form.watch());
  const schedule = useSchedule(scheduledFor);
  const isUnconfirmed = isDirty || schedule.isChanged;
  const people = audience.counts && quantity(audience.counts.recipients, 'person', 'people');
  const verb = !schedule.isLater ? 'Send to' : status === 'SCHEDULED' ? 'Reschedule for' : 'Schedule for';
  const savedOr = async (reason: string) => {
    if (isDirty && !(await run())) throw new Error(reason);
  };
  return (
    <Page
      isWide
      title={campaign.name}
      badge={<CampaignStatusBadge status={status} />}
      description={scheduledFor !== null && `Leaves ${timeWithZone(new Date(scheduledFor))}`}
      back={{ label: 'Campaigns', to: '/projects/$projectId/campaigns', params: { projectId } }}
      actions={
        <>
          <SaveState isDirty={isDirty} savedAt={campaign.updatedAt} />
          <CampaignMenu campaign={campaign} isDirty={isUnconfirmed} />
          {status === 'SCHEDULED' && <Button onPress={() => setDialog('cancel')}>Cancel campaign</Button>}
          <Button onPress={() => setDialog('test')}>Send a test</Button>
          <Button isPending={isSubmitting} isDisabled={!isDirty} onPress={() => submit()}>
            Save
          </Button>
          {(status === 'DRAFT' || schedule.isChanged) && (
            <Button
              look="primary"
              isPending={isSubmitting}
              isDisabled={schedule.fault !== null}
              onPress={async () => {
                if (!isDirty || (await run())) setDialog('send');
              }}
            >
              {verb} {people ?? 'the audience'}
            </Button>
          )}
        </>
      }
    >
      <CampaignForm form={form} failure={failure} audience={audience} />
      <ScheduleSection schedule={schedule} />
      <LeaveGuard isDirty={isUnconfirmed} />
      <ConflictDialog conflict={conflict} />
      <TestEmailDialog
        isOpen={dialog === 'test'}
        onClose={close}
        onSend={async (email) => {
          await savedOr('The campaign could not be saved, so no test was sent.');
          await api.POST('/campaigns/{id}/test', { params: { path: { id } }, body: { email } });
        }}
      />
      <SendDialog
        campaign={campaign}
        audience={audience}
        scheduledFor={schedule.at}
        isOpen={dialog === 'send'}
        onClose={close}
      />
      <CancelCampaignDialog campaign={campaign} isOpen={dialog === 'cancel'} onClose={close} />
    </Page>
  );
}
