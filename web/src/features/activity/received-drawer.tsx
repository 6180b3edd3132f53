import { useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { ContactLink } from '../../shell/contact-link.tsx';
import { Mailbox } from '../../ui/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { useLast } from '../../ui/use-last.ts';
import { HtmlPart, TextPart } from '../emails/email-content.tsx';

type Received = Schema<'InboundEmail'>;

interface ReceivedDrawerProps {
  /** Id of the received email; the drawer is closed without one. */
  id: string | undefined;
  onClose: () => void;
}

export function ReceivedDrawer({ id, onClose }: ReceivedDrawerProps) {
  const shown = useLast(id);
  return (
    <Dialog title="Received email" shape="drawer" isOpen={id !== undefined} onClose={onClose}>
      {shown !== undefined && <ReceivedEmail id={shown} />}
    </Dialog>
  );
}

function ReceivedEmail({ id }: { id: string }) {
  const query = $api.useQuery('get', '/inbound/{id}', { params: { path: { id } } });
  return (
    <Loaded query={query}>
      {(email) => (
        <div className="flex flex-col gap-5">
          <div className="flex flex-wrap items-center gap-2">
            <h3 className="min-w-0 text-lg font-semibold break-words">{email.subject ?? 'No subject'}</h3>
            {email.automatic !== null && <Badge>Automatic</Badge>}
          </div>
          <Facts email={email} />
          <Content email={email} />
        </div>
      )}
    </Loaded>
  );
}

function Facts({ email }: { email: Received }) {
  const { contactId, from, fromName, to, receivedAt, attachments, verdicts } = email;
  return (
    <>
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1 break-words">
        <dt className="text-muted">From</dt>
        <dd>
          <ContactLink contactId={contactId}>
            <Mailbox name={fromName} address={from ?? 'Unknown'} />
          </ContactLink>
        </dd>
        <dt className="text-muted">To</dt>
        <dd>{to.join(', ')}</dd>
        <dt className="text-muted">Received</dt>
        <dd>
          <Time at={receivedAt} form="exact" />
        </dd>
        {attachments.length > 0 && (
          <>
            <dt className="text-muted">With</dt>
            <dd>
              {quantity(attachments.length, 'attachment')}:{' '}
              {attachments.map(({ filename, contentType }) => filename ?? contentType).join(', ')}
            </dd>
          </>
        )}
      </dl>
      {verdicts.dmarc !== 'PASS' && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          The sender could not be verified.
        </p>
      )}
    </>
  );
}

function Content({ email: { status, hasContent, html, text } }: { email: Received }) {
  const [tab, setTab] = useState<'html' | 'text'>('html');
  if (!hasContent) return <p className="text-muted">{missing[status]}</p>;
  if (html === null) return <TextPart label="The text part" text={text ?? ''} />;
  return (
    <Tabs
      label="Content"
      selected={tab}
      onSelect={setTab}
      tabs={[
        { id: 'html', label: 'Preview', content: <HtmlPart html={html} /> },
        { id: 'text', label: 'Text', content: <TextPart label="The text part" text={text ?? ''} /> },
      ]}
    />
  );
}

const missing: Record<Received['status'], string> = {
  KEPT: 'The content has expired.',
  REJECTED: 'The content was not kept because a check for spam or viruses failed.',
  UNREADABLE: 'The content could not be read.',
};
