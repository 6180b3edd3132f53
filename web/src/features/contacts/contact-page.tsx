import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-button.tsx';
import { ConfirmDialog, type DialogState } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toast.tsx';
import { useLeave } from '../../ui/use-leave.ts';
import { ChangeAddressDialog } from './change-address-dialog.tsx';
import { ContactTimeline } from './contact-timeline.tsx';
import { DataEditor } from './data-editor.tsx';
import { contactQuery } from './queries.ts';
import { refreshContacts } from './refresh-contacts.ts';
import { SegmentsOfContact } from './segments-of-contact.tsx';
import { SubscriptionBadge } from './subscription-badge.tsx';
import { SubscriptionSwitch } from './subscription-switch.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/contacts/$contactId');

export function ContactPage() {
  const projectId = useProjectId();
  const { contactId } = route.useParams();
  const [dialog, setDialog] = useState<'address' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const query = useQuery(contactQuery(contactId));
  return (
    <Page
      title={query.data?.email ?? 'Contact'}
      badge={query.data && <SubscriptionBadge contact={query.data} />}
      back={{ label: 'Contacts', to: '/projects/$projectId/contacts', params: { projectId } }}
      actions={
        <>
          <ButtonLink to="/projects/$projectId/emails" params={{ projectId }} search={{ contactId }}>
            Show emails
          </ButtonLink>
          <Menu
            label="More"
            actions={[
              { label: 'Change the address …', onAction: () => setDialog('address') },
              { label: 'Delete …', isDangerous: true, onAction: () => setDialog('delete') },
            ]}
          />
        </>
      }
    >
      <Loaded query={query}>
        {(contact) => (
          <>
            <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
              <ContactTimeline contactId={contact.id} />
              <div className="flex flex-col gap-8 max-lg:order-first">
                <Section title="Subscription">
                  <SubscriptionSwitch contact={contact} />
                </Section>
                <DataEditor contact={contact} />
                <SegmentsOfContact contactId={contact.id} />
                <Facts contact={contact} />
              </div>
            </div>
            <ChangeAddressDialog contact={contact} isOpen={dialog === 'address'} onClose={close} />
            <DeleteContact contact={contact} isOpen={dialog === 'delete'} onClose={close} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ contact }: { contact: Schema<'Contact'> }) {
  return (
    <dl className="grid grid-cols-[5rem_minmax(0,1fr)] gap-y-1 text-sm">
      <dt className="text-muted">Added</dt>
      <dd>
        <Time at={contact.createdAt} />
      </dd>
      <dt className="text-muted">Changed</dt>
      <dd>
        <Time at={contact.updatedAt} />
      </dd>
      <dt className="text-muted">Id</dt>
      <dd>
        <CopyText text={contact.id} label="Copy the id" />
      </dd>
    </dl>
  );
}

function DeleteContact({ contact, ...state }: DialogState & { contact: Schema<'Contact'> }) {
  const projectId = useProjectId();
  const leave = useLeave();
  const remove = async () => {
    await api.DELETE('/contacts/{id}', { params: { path: { id: contact.id } } });
    await leave({
      to: '/projects/$projectId/contacts',
      params: { projectId },
      search: {},
    });
    await refreshContacts();
    say(`${contact.email} is deleted`);
  };
  return (
    <ConfirmDialog title={`Delete ${contact.email}?`} action="Delete contact" {...state} onConfirm={remove}>
      This erases the person’s data, events and emails, and ends their workflow executions. The opt-out is
      forgotten, too: to stop email, unsubscribe them instead. This can’t be undone.
    </ConfirmDialog>
  );
}
