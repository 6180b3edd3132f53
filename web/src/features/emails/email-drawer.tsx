import { $api, type Schema } from '../../api/client.ts';
import { ContactLink } from '../../shell/contact-link.tsx';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Mailbox } from '../../ui/address.tsx';
import { OutsideLink, TextLink } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { useLast } from '../../ui/use-last.ts';
import { EmailContent } from './email-content.tsx';
import { sourceText } from './email-source.ts';
import { EmailStatus } from './email-status.tsx';
import { EmailTimeline } from './email-timeline.tsx';
import { SendAgain } from './send-again.tsx';

/** Statuses that are not final. */
const unsettled: readonly Schema<'Email'>['status'][] = ['QUEUED', 'SENDING', 'SENT', 'UNKNOWN'];

interface EmailDrawerProps {
  /** Id of the email; the drawer is closed without one. */
  id: string | undefined;
  onClose: () => void;
}

export function EmailDrawer({ id, onClose }: EmailDrawerProps) {
  const shown = useLast(id);
  return (
    <Dialog title="Email" shape="drawer" isOpen={id !== undefined} onClose={onClose}>
      {shown !== undefined && <EmailRecord id={shown} />}
    </Dialog>
  );
}

function EmailRecord({ id }: { id: string }) {
  const query = $api.useQuery(
    'get',
    '/emails/{id}',
    { params: { path: { id } } },
    {
      refetchInterval: ({ state }) =>
        state.data !== undefined && unsettled.includes(state.data.status) ? 5_000 : false,
    },
  );
  return (
    <Loaded query={query}>
      {(email) => (
        <div className="flex flex-col gap-7">
          <div className="flex flex-col gap-3">
            <div className="flex flex-wrap items-center gap-2">
              <h3 className="text-lg font-semibold">
                {email.subject ?? email.body?.subject ?? (email.to ? 'No subject yet' : 'Deleted contact')}
              </h3>
              <EmailStatus status={email.status} />
            </div>
            <Facts email={email} />
            <SendAgain email={email} />
          </div>
          <Section title="What happened">
            <EmailTimeline entries={email.timeline} />
          </Section>
          <Section title="Content">
            <EmailContent email={email} />
          </Section>
        </div>
      )}
    </Loaded>
  );
}

/** Links to the campaign or the workflow, unless it has been deleted. */
function Source({ email }: { email: Schema<'EmailDetail'> }) {
  const projectId = useProjectId();
  const { campaignId, campaignName, workflowId, workflowName } = email;
  const text = sourceText(email);
  if (campaignId !== null && campaignName !== null)
    return (
      <TextLink to="/projects/$projectId/campaigns/$campaignId" params={{ projectId, campaignId }}>
        {text}
      </TextLink>
    );
  if (workflowId !== null && workflowName !== null)
    return (
      <TextLink to="/projects/$projectId/workflows/$workflowId" params={{ projectId, workflowId }}>
        {text}
      </TextLink>
    );
  return text;
}

function Facts({ email }: { email: Schema<'EmailDetail'> }) {
  const facts = [
    {
      name: 'To',
      value: (
        <ContactLink contactId={email.contactId}>
          <Mailbox name={email.toName} address={email.to || 'Deleted contact'} />
        </ContactLink>
      ),
    },
    { name: 'From', value: <Mailbox name={email.body?.fromName ?? null} address={email.from} /> },
    { name: 'Reply to', value: email.body?.replyTo },
    { name: 'Source', value: <Source email={email} /> },
    { name: 'Template', value: email.templateName },
    { name: 'Email id', value: <CopyText text={email.id} /> },
    { name: 'Message id', value: email.messageId && <CopyText text={email.messageId} /> },
    {
      name: 'Run',
      value: email.temporalUrl && <OutsideLink href={email.temporalUrl}>Open in Temporal</OutsideLink>,
    },
  ];
  return (
    <dl className="grid grid-cols-[6rem_1fr] gap-x-3 gap-y-1">
      {facts
        .filter(({ value }) => Boolean(value))
        .map(({ name, value }) => (
          <div key={name} className="col-span-2 grid min-h-6 grid-cols-subgrid items-center">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
