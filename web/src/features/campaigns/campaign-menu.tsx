import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, type DialogState } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { useLeave, useOpen } from '../../ui/use-leave.ts';
import { segmentsQuery } from '../segments/queries.ts';
import { toNotOpened } from './campaign-values.ts';
import { isRandomPart } from './is-random-part.ts';
import { SubjectTestDialog } from './subject-test-dialog.tsx';

interface CampaignMenuProps {
  campaign: Schema<'Campaign'>;
  /** What to do first with changes of the form, which a copy would not contain. */
  unsaved?: string | undefined;
}

/** The actions available in every status. */
export function CampaignMenu({ campaign, unsaved }: CampaignMenuProps) {
  const { id, status, temporalUrl } = campaign;
  const projectId = useProjectId();
  const open = useOpen();
  const [isDeleting, setIsDeleting] = useState(false);
  const [isCopying, setIsCopying] = useState(false);
  const [isTesting, setIsTesting] = useState(false);
  const params = { path: { id } };
  const { data: segments } = useQuery({ ...segmentsQuery, enabled: status === 'DRAFT' });
  /** Such as the drafts of a test. */
  const isRandom = isRandomPart(campaign, segments?.data ?? []);
  const openDraft = async (create: () => Promise<{ data?: { data: Schema<'Campaign'> } }>) => {
    setIsCopying(true);
    try {
      const { data } = await create();
      if (data === undefined) return;
      await refresh('/campaigns');
      say(`“${data.data.name}” created as a draft`);
      await open({
        to: '/projects/$projectId/campaigns/$campaignId',
        params: { projectId, campaignId: data.data.id },
      });
    } catch (error) {
      sayError(error);
    } finally {
      setIsCopying(false);
    }
  };
  const duplicate = () => openDraft(() => api.POST('/campaigns/{id}/duplicate', { params }));
  const askAgain = () => openDraft(() => api.POST('/campaigns', { body: toNotOpened(campaign) }));
  return (
    <>
      {status === 'CANCELLED' && (
        <Button isPending={isCopying} onPress={duplicate}>
          Duplicate to edit and send
        </Button>
      )}
      <Menu
        label="More"
        actions={[
          {
            label: 'Duplicate',
            isDisabled: unsaved !== undefined,
            note: unsaved,
            onAction: duplicate,
          },
          ...(status === 'DRAFT'
            ? [
                {
                  label: 'Test two subjects …',
                  isDisabled: isRandom || unsaved !== undefined,
                  note: isRandom ? 'Its audience is already a random part' : unsaved,
                  onAction: () => setIsTesting(true),
                },
              ]
            : []),
          ...(status === 'SENT'
            ? [
                {
                  label: 'Send to those who did not open',
                  note: 'Some mail programs block the report of an open',
                  onAction: askAgain,
                },
              ]
            : []),
          ...(temporalUrl === null ? [] : [{ label: 'Open in Temporal', href: temporalUrl }]),
          {
            label: 'Delete …',
            isDangerous: true,
            isDisabled: status === 'SCHEDULED' || status === 'SENDING',
            onAction: () => setIsDeleting(true),
          },
        ]}
      />
      <SubjectTestDialog campaign={campaign} isOpen={isTesting} onClose={() => setIsTesting(false)} />
      <DeleteCampaignDialog campaign={campaign} isOpen={isDeleting} onClose={() => setIsDeleting(false)} />
    </>
  );
}

function DeleteCampaignDialog({ campaign, ...state }: DialogState & { campaign: Schema<'Campaign'> }) {
  const { id, name, status } = campaign;
  const projectId = useProjectId();
  const leave = useLeave();
  return (
    <ConfirmDialog
      {...state}
      title="Delete this campaign?"
      action="Delete campaign"
      onConfirm={async () => {
        await api.DELETE('/campaigns/{id}', { params: { path: { id } } });
        await leave({
          to: '/projects/$projectId/campaigns',
          params: { projectId },
        });
        await refresh('/campaigns');
        say(`“${name}” deleted`);
      }}
    >
      {status === 'DRAFT'
        ? 'The draft can’t be restored.'
        : 'Its report is deleted, too, and can’t be restored. Its emails stay in the history of their contacts.'}
    </ConfirmDialog>
  );
}
