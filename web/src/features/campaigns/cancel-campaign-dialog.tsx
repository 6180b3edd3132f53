import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ConfirmDialog, type DialogState } from '../../ui/dialog.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { say } from '../../ui/toast.tsx';
import { isPartial } from './queries.ts';

export function CancelCampaignDialog({ campaign, ...state }: DialogState & { campaign: Schema<'Campaign'> }) {
  const { id, status, sentCount, totalRecipients } = campaign;
  const known = isPartial(campaign) ? sentCount : totalRecipients;
  const part = isPartial(campaign) ? '' : `${count(sentCount)} of `;
  return (
    <ConfirmDialog
      {...state}
      title="Cancel this campaign?"
      action="Cancel campaign"
      onConfirm={async () => {
        await api.POST('/campaigns/{id}/cancel', { params: { path: { id } } });
        await refresh('/campaigns');
        say('Campaign cancelled');
      }}
    >
      {status === 'SENDING'
        ? `${part}${quantity(known, 'email')} ${known === 1 ? 'has' : 'have'} been sent and can’t be recalled. The others are not sent.`
        : 'It will not be sent.'}{' '}
      A cancelled campaign can’t be sent again, but a duplicate of it can.
    </ConfirmDialog>
  );
}
