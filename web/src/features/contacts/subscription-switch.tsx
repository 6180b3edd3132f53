import type { Schema } from '../../api/client.ts';
import { Switch } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { saveContact } from './save-contact.ts';

const suppressedWords = {
  bounce:
    'Off since an email to this address hard-bounced. Turn it on only if the mailbox exists again: another bounce harms the reputation of your domain.',
  complaint:
    'Off since they reported an email as spam. Turn it on only if they have asked for it: another report harms the reputation of your domain.',
};

/** Whether the contact receives marketing email. */
export function SubscriptionSwitch({ contact }: { contact: Schema<'Contact'> }) {
  const set = async (from: Schema<'Contact'>, subscribed: boolean) => {
    const saved = await saveContact(from, { subscribed });
    // Only lossless changes can be undone: an undo can't restore an ended snooze or a lifted suppression.
    const isLossless = contact.snoozedUntil === null && !subscribed;
    const undo = () => void set(saved, !subscribed).catch(sayError);
    say(subscribed ? 'Subscribed' : 'Unsubscribed', isLossless ? undo : undefined);
  };
  return (
    <>
      <Switch
        isSelected={contact.subscribed}
        onChange={(subscribed) => void set(contact, subscribed).catch(sayError)}
      >
        Gets campaigns and other marketing
      </Switch>
      {contact.suppressionReason !== null && (
        <p className="text-sm text-muted">{suppressedWords[contact.suppressionReason]}</p>
      )}
      {contact.snoozedUntil !== null && (
        <p className="text-sm text-muted">
          Snoozed; marketing resumes <Time at={contact.snoozedUntil} />. Turning it on ends the snooze.
        </p>
      )}
    </>
  );
}
