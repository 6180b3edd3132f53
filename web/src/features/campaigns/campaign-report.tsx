import { useEffect, useRef, useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { WhenNear } from '../../ui/when-near.tsx';
import { contentOf } from '../message-editor/content.ts';
import { PreviewPane } from '../message-editor/preview-pane.tsx';
import { usePreview } from '../message-editor/use-preview.ts';
import { CampaignMenu } from './campaign-menu.tsx';
import { CampaignProgress } from './campaign-progress.tsx';
import { CampaignStatusBadge } from './campaign-status-badge.tsx';
import { CancelCampaignDialog } from './cancel-campaign-dialog.tsx';
import { CompareSection } from './compare-section.tsx';
import { LinkSection } from './link-section.tsx';
import { isPartial } from './queries.ts';
import { RecipientSection } from './recipient-section.tsx';
import { ReportFigures } from './report-figures.tsx';
import { TimelineSection } from './timeline-section.tsx';
import { useAudienceWords } from './use-audience-words.ts';

type Campaign = Schema<'Campaign'>;

/** Shown once sending has started. */
export function CampaignReport({ campaign }: { campaign: Campaign }) {
  const projectId = useProjectId();
  const [isCancelling, setIsCancelling] = useState(false);
  const { status, subject, from, fromName } = campaign;
  const audienceWords = useAudienceWords(campaign);
  const isEmpty = campaign.totalRecipients === 0;
  const reason = campaign.cancelReason ?? campaign.pausedReason;
  const shownStatus = useRef(status);
  useEffect(() => {
    if (shownStatus.current === status) return;
    shownStatus.current = status;
    // What was read before the end is out of date, and is polled more rarely from now on.
    void refresh('/campaigns/{id}/');
  }, [status]);
  return (
    <Page
      title={campaign.name}
      badge={<CampaignStatusBadge status={status} />}
      description={
        <>
          “{subject}” from {fromName ?? from}
          {campaign.sentAt !== null && (
            <>
              , sent <Time at={campaign.sentAt} />
            </>
          )}{' '}
          · {audienceWords}
        </>
      }
      back={{ label: 'Campaigns', to: '/projects/$projectId/campaigns', params: { projectId } }}
      actions={
        <>
          <CampaignMenu campaign={campaign} />
          {status === 'SENDING' && (
            <Button look="danger" onPress={() => setIsCancelling(true)}>
              Cancel campaign
            </Button>
          )}
        </>
      }
    >
      {reason !== null && (
        <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          {reason}
        </p>
      )}
      {status === 'SENDING' && <CampaignProgress campaign={campaign} />}
      {campaign.startedAt === null || (status === 'CANCELLED' && isPartial(campaign) && isEmpty) ? (
        <p className="text-muted">It was cancelled before anything was sent.</p>
      ) : status !== 'SENDING' && isEmpty ? (
        <p className="text-muted">Nobody was in the audience when sending began, so nothing was sent.</p>
      ) : (
        <>
          <ReportFigures campaign={campaign} />
          <CompareSection campaign={campaign} />
          <TimelineSection campaign={campaign} />
          <LinkSection campaign={campaign} />
          <RecipientSection campaign={campaign} />
        </>
      )}
      <SentContent campaign={campaign} />
      <CancelCampaignDialog
        campaign={campaign}
        isOpen={isCancelling}
        onClose={() => setIsCancelling(false)}
      />
    </Page>
  );
}

function SentContent({ campaign }: { campaign: Campaign }) {
  return (
    <Section title="Content" description="As it would look today for the contact you choose.">
      <WhenNear className="h-[60dvh] overflow-hidden rounded-lg border border-line">
        <SentPreview campaign={campaign} />
      </WhenNear>
    </Section>
  );
}

function SentPreview({ campaign }: { campaign: Campaign }) {
  const [readerAddress, setReaderAddress] = useState('');
  const preview = usePreview('/campaigns/preview', contentOf(campaign), readerAddress);
  return <PreviewPane preview={preview} readerAddress={readerAddress} onReader={setReaderAddress} />;
}
