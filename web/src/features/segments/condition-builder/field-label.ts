import { keyLabel } from '../../contacts/key-label.ts';

const builtIn: Readonly<Record<string, string>> = {
  email: 'Address',
  subscribed: 'Subscription',
  randomGroup: 'Random group 0–99',
  createdAt: 'Date added',
  updatedAt: 'Last change',
  snoozedUntil: 'Snoozed until',
};

/** `past` follows the contact ("Ada opened an email"), `participle` follows "has". */
interface ActivityWords {
  label: string;
  past: string;
  participle: string;
}

const same = (label: string, past: string): ActivityWords => ({ label, past, participle: past });

const activities: Readonly<Record<string, ActivityWords>> = {
  sent: { label: 'Email sent', past: 'was sent an email', participle: 'been sent an email' },
  delivered: same('Email delivered', 'received an email'),
  opened: same('Email opened', 'opened an email'),
  clicked: same('Link clicked', 'clicked a link in an email'),
  bounced: same('Email bounced', 'had an email bounce'),
  complained: same('Spam complaint', 'complained about an email'),
};

export const emailActivities = Object.keys(activities);

const shortForms: Readonly<Record<string, string>> = {
  delivery: 'delivered',
  open: 'opened',
  click: 'clicked',
  bounce: 'bounced',
  complaint: 'complained',
};

/** What the contact did, or what happened to it, for a field about history. */
export function activityOf(field: string): ActivityWords {
  const activity = /^(?:event\.)?email\.(\w+)$/.exec(field)?.[1] ?? '';
  const deed = activities[shortForms[activity] ?? activity];
  if (deed) return deed;
  const name = field.replace(/^event\./, '');
  return same(name, `triggered “${name}”`);
}

/** A field in words: "Plan" for `data.plan`, the name for `segment.<id>` and `campaign.<id>`. */
export function fieldLabel(field: string, nameOf: (id: string) => string | undefined): string {
  const own = builtIn[field];
  if (own !== undefined) return own;
  if (field.startsWith('segment.')) return nameOf(field.slice('segment.'.length)) ?? 'a deleted segment';
  if (field.startsWith('campaign.')) return nameOf(field.slice('campaign.'.length)) ?? '…';
  if (field.startsWith('email.')) return activityOf(field).label;
  if (field.startsWith('data.')) return keyLabel(field.slice('data.'.length));
  return field.replace(/^event\./, '');
}

const kinds = { segment: 'Segment', campaign: 'Campaign' } as const;

/** As `fieldLabel`, but says of a segment or campaign that it is one, as there is no heading over it. */
export function chosenLabel(field: string, nameOf: (id: string) => string | undefined): string {
  const [, kind, id = ''] = /^(segment|campaign)\.(.*)$/.exec(field) ?? [];
  const name = nameOf(id);
  // as: the groups of the pattern.
  return name === undefined ? fieldLabel(field, nameOf) : `${kinds[kind as keyof typeof kinds]} “${name}”`;
}
