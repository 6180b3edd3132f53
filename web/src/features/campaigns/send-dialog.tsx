import { type ReactNode, useState } from 'react';
import { $api, api, type Schema } from '../../api/client.ts';
import { ifMatch, isStale } from '../../api/if-match.ts';
import { refresh } from '../../api/query-client.ts';
import { Mailbox } from '../../ui/address.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, type DialogState } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { say } from '../../ui/toast.tsx';
import { useFailure } from '../../ui/use-failure.ts';
import { ProblemList } from '../message-editor/problem-list.tsx';
import { AudienceError } from './audience-section.tsx';
import { timeFault, timeWithZone } from './schedule-section.tsx';
import type { useAudience } from './use-audience.ts';
import { useAudienceWords } from './use-audience-words.ts';

const changedByOthers =
  'Someone else has changed this campaign. Go back and look at their version before you send it.';

interface SendDialogProps extends DialogState {
  /** The stored version. */
  campaign: Schema<'Campaign'>;
  audience: ReturnType<typeof useAudience>;
  /** Null sends immediately. */
  scheduledFor: Date | null;
  /** The form has changes that the stored version lacks: typed while it was being saved for this dialog. */
  isDirty: boolean;
}

/** The confirmation before sending: checks, recipients and content. */
export function SendDialog({ isOpen, ...props }: SendDialogProps) {
  const title = props.scheduledFor === null ? 'Send this campaign?' : 'Schedule this campaign?';
  return (
    <Dialog title={title} isOpen={isOpen} onClose={props.onClose}>
      <SendConfirmation {...props} />
    </Dialog>
  );
}

function SendConfirmation(props: Omit<SendDialogProps, 'isOpen'>) {
  const { campaign, audience, scheduledFor, isDirty, onClose } = props;
  const { id, subject, body, type, from, fromName } = campaign;
  const { counts } = audience;
  const audienceWords = useAudienceWords(campaign);
  const checks = $api.useQuery('post', '/campaigns/preview', { body: { subject, body, type, from } });
  const [isPending, setIsPending] = useState(false);
  const [failure, fail] = useFailure();
  const problems = checks.data?.problems ?? [];
  const isBlocked = problems.some(({ severity }) => severity === 'error');
  const isNobody = counts?.recipients === 0;
  const people = counts ? quantity(counts.recipients, 'person', 'people') : 'the audience';
  const send = async () => {
    // Checked again, because the dialog may have been open for a long time.
    const fault = scheduledFor && timeFault(scheduledFor);
    if (fault) return fail(new Error(`${fault}. Choose another one.`));
    setIsPending(true);
    try {
      const scheduled = scheduledFor?.toISOString() ?? null;
      const params = { path: { id }, header: ifMatch(campaign) };
      await api.POST('/campaigns/{id}/send', { params, body: { scheduledFor: scheduled } });
      // Until then, the page behind the dialog still offers to send.
      await refresh('/campaigns');
      onClose();
      say(scheduledFor === null ? `Sending to ${people}` : `Scheduled for ${timeWithZone(scheduledFor)}`);
    } catch (error) {
      fail(isStale(error) ? new Error(changedByOthers) : error);
      setIsPending(false);
      // Shows what others have changed in the meantime.
      await refresh('/campaigns');
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        <Fact term="Subject" detail={subject} />
        <Fact term="From" detail={<Mailbox name={fromName} address={from} />} />
        <Fact term="Audience" detail={audienceWords} />
        <Fact term="To" detail={counts === undefined ? '…' : people} />
        <Fact
          term="Leaves"
          detail={scheduledFor === null ? 'Immediately; it can’t be recalled' : timeWithZone(scheduledFor)}
        />
      </dl>
      {counts !== undefined && counts.total > counts.recipients && (
        <p className="mt-2 text-sm text-muted">
          {quantity(counts.total - counts.recipients, 'contact')} of the audience left out: unsubscribed,
          snoozed or suppressed.
        </p>
      )}
      {isNobody && (
        <p role="status" className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          {scheduledFor === null
            ? 'Nobody would get it, so there is nothing to send.'
            : 'Nobody would get it as of now. Who gets it is decided when it leaves.'}
        </p>
      )}
      <TypeNote type={type} />
      {isDirty && (
        <p role="status" className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          What you typed while the campaign was being saved is not in this version. Go back and try again.
        </p>
      )}
      <AudienceError audience={audience} className="mt-3" />
      <h3 className="mt-4 mb-2 text-sm font-medium">Checks</h3>
      {checks.data ? (
        <ProblemList problems={problems} />
      ) : (
        !checks.error && <Skeleton className="h-9 w-full" />
      )}
      <ErrorNote error={checks.error} onRetry={() => void checks.refetch()} className="mt-4" />
      <ErrorNote error={failure} className="mt-4" />
      <DialogActions>
        <Button onPress={onClose}>Back</Button>
        <Button
          type="submit"
          look="primary"
          isPending={isPending}
          isDisabled={
            isDirty ||
            isBlocked ||
            checks.data === undefined ||
            !counts ||
            (isNobody && scheduledFor === null)
          }
        >
          {scheduledFor === null ? `Send to ${people}` : `Schedule for ${people}`}
        </Button>
      </DialogActions>
    </form>
  );
}

/** How the type of the campaign differs from marketing. */
function TypeNote({ type }: Pick<Schema<'Campaign'>, 'type'>) {
  switch (type) {
    case 'MARKETING':
      return null;
    case 'TRANSACTIONAL':
      return (
        <p role="status" className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          Transactional: it also goes to unsubscribed contacts, and no unsubscribe link is added.
        </p>
      );
    case 'HEADLESS':
      return (
        <p className="mt-2 text-sm text-muted">
          Headless: no footer with an unsubscribe link is added; mail programs can still offer to unsubscribe.
        </p>
      );
  }
}

function Fact({ term, detail }: { term: string; detail: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{term}</dt>
      <dd className="min-w-0 font-medium break-words">{detail}</dd>
    </>
  );
}
