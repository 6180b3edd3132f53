import { useEffect, useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { ConflictDialog } from '../../ui/conflict-dialog.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { useRecordForm } from '../../ui/use-record-form.ts';
import { SaveState } from '../message-editor/save-state.tsx';
import { TestEmailDialog } from '../message-editor/test-email-dialog.tsx';
import { CampaignForm } from './campaign-form.tsx';
import { CampaignMenu } from './campaign-menu.tsx';
import { CampaignStatusBadge } from './campaign-status-badge.tsx';
import { campaignBody, campaignSchema, toCampaignValues } from './campaign-values.ts';
import { CancelCampaignDialog } from './cancel-campaign-dialog.tsx';
import { LateChanges } from './late-changes.tsx';
import { isUnsent } from './queries.ts';
import { ScheduleSection, timeWithZone, useSchedule } from './schedule-section.tsx';
import { SendDialog } from './send-dialog.tsx';
import { useAudience } from './use-audience.ts';

type Campaign = Schema<'Campaign'>;

async function read(id: string): Promise<Campaign> {
  const { data } = await api.GET('/campaigns/{id}', { params: { path: { id } } });
  if (data === undefined) throw new Error('The answer is empty');
  return data.data;
}

interface CampaignEditorProps {
  campaign: Campaign;
  /** Whether the form has unsaved changes. */
  onDirty: (isDirty: boolean) => void;
}

export function CampaignEditor({ campaign, onDirty }: CampaignEditorProps) {
  const projectId = useProjectId();
  const { form, failure, submit, run, whenValid, conflict } = useCampaignForm(campaign);
  const { isDirty, isSubmitting } = form.formState;
  const audience = useAudience(form.watch());
  const schedule = useSchedule(campaign.scheduledFor);
  const [dialog, setDialog] = useState<EditorDialog | null>(null);
  const isUnconfirmed = isDirty || schedule.isChanged;
  const isLate = !isUnsent(campaign);
  useEffect(() => {
    onDirty(isDirty);
    return () => onDirty(false);
  }, [isDirty, onDirty]);
  return (
    <Page
      isWide
      title={campaign.name}
      badge={<CampaignStatusBadge status={campaign.status} />}
      description={
        campaign.scheduledFor !== null && `Leaves ${timeWithZone(new Date(campaign.scheduledFor))}`
      }
      back={{ label: 'Campaigns', to: '/projects/$projectId/campaigns', params: { projectId } }}
      actions={
        !isLate && (
          <>
            <SaveState isDirty={isDirty} savedAt={campaign.updatedAt} />
            <CampaignMenu
              campaign={campaign}
              unsaved={
                isDirty
                  ? 'Save your changes first'
                  : schedule.isChanged
                    ? 'Confirm or undo the time first'
                    : undefined
              }
            />
            <EditorButtons
              status={campaign.status}
              isDirty={isDirty}
              isSubmitting={isSubmitting}
              audience={audience}
              schedule={schedule}
              onSave={() => submit()}
              onSend={async () => {
                if (!isDirty || (await run()) === null) setDialog('send');
              }}
              onTest={() => whenValid(() => setDialog('test'))}
              onCancel={() => setDialog('cancel')}
            />
          </>
        )
      }
    >
      {isLate && <LateChanges campaign={campaign} form={form} />}
      <CampaignForm form={form} failure={isLate ? null : failure} audience={audience} />
      {!isLate && <ScheduleSection schedule={schedule} />}
      <LeaveGuard isDirty={isUnconfirmed} />
      <ConflictDialog conflict={isLate ? null : conflict} />
      <EditorDialogs
        campaign={campaign}
        audience={audience}
        scheduledFor={schedule.at}
        isDirty={isDirty}
        save={async () => (isDirty ? run() : null)}
        open={dialog}
        onClose={() => setDialog(null)}
      />
    </Page>
  );
}

function useCampaignForm(campaign: Campaign) {
  const { id, description } = campaign;
  return useRecordForm({
    schema: campaignSchema,
    stored: campaign,
    toValues: toCampaignValues,
    async read() {
      // The campaign page decides again whether it can still be edited.
      await refresh('/campaigns');
      return read(id);
    },
    async write(values, header) {
      const params = { path: { id }, header };
      const { data } = await api.PUT('/campaigns/{id}', { params, body: campaignBody(values, description) });
      await refresh('/campaigns');
      return data?.data ?? read(id);
    },
  });
}

type EditorDialog = 'test' | 'send' | 'cancel';

interface EditorButtonsProps {
  status: Campaign['status'];
  isDirty: boolean;
  isSubmitting: boolean;
  audience: ReturnType<typeof useAudience>;
  schedule: ReturnType<typeof useSchedule>;
  onSave: () => void;
  /** Saves before sending, because a campaign is sent as stored. */
  onSend: () => Promise<void>;
  onTest: () => void;
  onCancel: () => void;
}

function EditorButtons(props: EditorButtonsProps) {
  const { status, isDirty, isSubmitting, audience, schedule, onSave, onSend, onTest, onCancel } = props;
  const people = audience.counts && quantity(audience.counts.recipients, 'person', 'people');
  const verb = !schedule.isLater ? 'Send to' : status === 'SCHEDULED' ? 'Reschedule for' : 'Schedule for';
  return (
    <>
      {status === 'SCHEDULED' && <Button onPress={onCancel}>Cancel campaign</Button>}
      <Button onPress={onTest}>Send a test</Button>
      <Button isPending={isSubmitting} isDisabled={!isDirty} onPress={onSave}>
        Save
      </Button>
      {(status === 'DRAFT' || schedule.isChanged) && (
        <Button look="primary" isPending={isSubmitting} isDisabled={schedule.fault !== null} onPress={onSend}>
          {verb} {people ?? 'the audience'}
        </Button>
      )}
    </>
  );
}

interface EditorDialogsProps {
  campaign: Campaign;
  audience: ReturnType<typeof useAudience>;
  scheduledFor: Date | null;
  isDirty: boolean;
  /** @returns why the form's content could not be stored, else null */
  save: () => Promise<unknown>;
  open: EditorDialog | null;
  onClose: () => void;
}

function EditorDialogs(props: EditorDialogsProps) {
  const { campaign, audience, scheduledFor, isDirty, save, open, onClose } = props;
  const sendTest = async (email: string) => {
    const fault = await save();
    if (fault !== null) throw fault;
    await api.POST('/campaigns/{id}/test', { params: { path: { id: campaign.id } }, body: { email } });
  };
  return (
    <>
      <TestEmailDialog isOpen={open === 'test'} onClose={onClose} onSend={sendTest} />
      <SendDialog
        campaign={campaign}
        audience={audience}
        scheduledFor={scheduledFor}
        isDirty={isDirty}
        isOpen={open === 'send'}
        onClose={onClose}
      />
      <CancelCampaignDialog campaign={campaign} isOpen={open === 'cancel'} onClose={onClose} />
    </>
  );
}
