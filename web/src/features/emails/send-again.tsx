import { useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProject } from '../../shell/session.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { addressSchema } from '../../ui/address-schema.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { contentAgain } from './as-template.ts';

type Email = Schema<'EmailDetail'>;
type SentEmail = Email & { contactId: string; body: NonNullable<Email['body']> };
type Content = { subject: string; body: string };

/** Statuses of emails that may still leave by themselves. */
const underWay: readonly Email['status'][] = ['QUEUED', 'SENDING', 'UNKNOWN'];

const isSent = (email: Email): email is SentEmail =>
  email.body !== null &&
  email.contactId !== null &&
  email.type === 'TRANSACTIONAL' &&
  email.source !== 'TEST';

/** Sends a transactional email once more, such as to a corrected address. */
export function SendAgain({ email }: { email: Email }) {
  const [openedAt, setOpenedAt] = useState<number | null>(null);
  if (!isSent(email) || underWay.includes(email.status)) return null;
  const content =
    email.body.attachments.length > 0
      ? { refusal: 'An email with attachments' }
      : contentAgain(email.contactId, email.body);
  if ('refusal' in content)
    return (
      <p className="text-sm text-muted">
        {content.refusal} can’t be sent again from here, only by the application that sent it.
      </p>
    );
  return (
    <>
      <div>
        <Button onPress={() => setOpenedAt(Date.now())}>Send again …</Button>
      </div>
      <SendAgainDialog
        email={email}
        content={content}
        openedAt={openedAt}
        onClose={() => setOpenedAt(null)}
      />
    </>
  );
}

const schema = z.object({ to: addressSchema('Enter an address, such as ada@example.com') });

interface SendAgainDialogProps {
  email: SentEmail;
  content: Content;
  /** Null while it is closed. */
  openedAt: number | null;
  onClose: () => void;
}

function SendAgainDialog({ email, content, openedAt, onClose }: SendAgainDialogProps) {
  const projectId = useProjectId();
  return (
    <FormDialog
      title="Send again"
      action="Send"
      isOpen={openedAt !== null}
      onClose={onClose}
      schema={schema}
      defaultValues={{ to: email.to }}
      save={async ({ to }, finish) => {
        const id = await sendAgain(
          email,
          content,
          to,
          `again ${email.id} ${openedAt} ${encodeURIComponent(to)}`,
        );
        say(`The email to ${to} is queued`);
        await finish({
          to: '/projects/$projectId/emails',
          params: { projectId },
          search: (before) => ({ ...before, email: id }),
        });
        await refresh('/emails', '/activity');
      }}
    >
      {({ control }) => (
        <>
          <p className="text-muted">It leaves as the preview shows it.</p>
          <FormField
            control={control}
            name="to"
            type="email"
            label="Address"
            autoFocus
            hint="An address that no contact has becomes a new contact. To correct this contact instead, change the address on its page first."
          />
          <Warning control={control} />
        </>
      )}
    </FormDialog>
  );
}

const causes = {
  bounce: {
    cause: (to: string) => `An email to ${to} hard-bounced`,
    condition: 'the mailbox exists',
    another: 'another bounce',
  },
  complaint: {
    cause: (to: string) => `${to} reported an email as spam`,
    condition: 'they asked for it',
    another: 'another report',
  },
};

/** Shown if the entered address is suppressed. */
function Warning({ control }: { control: Control<z.input<typeof schema>> }) {
  const { id: projectId, suppressTransactional } = useProject();
  const entered = schema.safeParse({ to: useWatch({ control, name: 'to' }) }).data?.to.toLowerCase() ?? '';
  const search = useDebounced(entered);
  const { data } = $api.useQuery(
    'get',
    '/suppressions',
    { params: { query: { search, limit: 1 } } },
    { enabled: search !== '' },
  );
  const found = data?.data[0];
  if (found === undefined || found.email !== entered) return null;
  const { cause, condition, another } = causes[found.reason];
  return (
    <p className="text-sm text-warn">
      {cause(found.email)}
      {suppressTransactional ? (
        <>
          , so this one will be withheld, as the project’s settings say. Change the address, or{' '}
          <TextLink to="/projects/$projectId/suppressions" params={{ projectId }} search={{ search }}>
            release it
          </TextLink>{' '}
          first if {condition}.
        </>
      ) : (
        `. Send there again only if ${condition}: ${another} harms the reputation of your domain.`
      )}
    </p>
  );
}

/** @param key makes a repeat after a lost answer send nothing. @returns the id of the new email */
async function sendAgain(email: SentEmail, content: Content, to: string, key: string): Promise<string> {
  const { headers, fromName, replyTo } = email.body;
  const { data } = await api
    .POST('/v1/send', {
      params: { header: { 'Idempotency-Key': key.slice(0, 255) } },
      body: {
        to: { email: to, ...(email.toName !== null && { name: email.toName }) },
        from: { email: email.from, ...(fromName !== null && { name: fromName }) },
        ...content,
        headers,
        ...(replyTo !== null && { reply: replyTo }),
      },
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED') throw new Error(mayBeSent);
      throw error;
    });
  const id = data?.data.emails[0]?.email;
  if (id === undefined) throw new Error(mayBeSent);
  return id;
}

const mayBeSent =
  'It may have been sent already. Close this, and look at the newest emails before you send it again.';
