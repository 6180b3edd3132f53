/** The sections of the reference by chapter; each is the tag of its routes, with what stands below its title. */
const chapters: Record<string, Record<string, string>> = {
  Sending: {
    'Public API': 'What an application calls: send an email, track an event, verify an address.',
    Emails:
      'Every email of the project, from whatever source: its status, its timeline and its content as sent.',
    Suppressions: 'Addresses that get no marketing email, after a hard bounce or a complaint.',
    Domains:
      'Sender domains. Add one, create the DNS records that the answer lists, and it is verified within minutes; only ' +
      'then may `from` use it.',
  },
  Audience: {
    Contacts: 'The people you write to, with their fields in `data`, imports from CSV and bulk operations.',
    Segments:
      'Groups of contacts: DYNAMIC ones follow a condition, STATIC ones a list. A segment with `trackMembership` emits an ' +
      'event for each contact that enters or leaves, which can start a workflow.',
    Events:
      'What contacts did, as your application tracked it or the service noticed it, and the emails that they sent you.',
  },
  Messages: {
    Templates: 'Stored emails for `POST /v1/send` and workflows.',
    Campaigns:
      'One email to an audience, now or at a time that you choose. The audience is frozen when sending starts, and each ' +
      'recipient gets the email once.',
    Workflows:
      'Steps that a contact goes through after an event: emails, delays, waits for an event, conditions, webhooks, updates ' +
      'of the contact. An execution keeps to the graph that it started with. Webhooks are signed (Standard Webhooks).',
    Uploads: 'Images for the bodies of emails, at public addresses.',
  },
  Insights: {
    Activity: 'The feed of what happened, and figures of a period. Entries appear within a few seconds.',
    Analytics: 'Time series and rankings of campaigns and events.',
    Requests: 'The latest API requests of the project, to find out why one was refused.',
  },
  Administration: {
    Authentication: 'Accounts and sessions of the dashboard. Servers use a key instead.',
    Users: 'The signed-in user.',
    Projects: 'Projects of a user: keys, settings, members, progress of the set-up, reset.',
    Billing: 'Monthly limits and consumption; with Stripe also subscriptions and invoices.',
    Configuration: 'What this deployment offers.',
  },
  Addresses: {
    'Account pages': 'Where the links of account emails lead, when there is no dashboard.',
    'Public pages': 'Where the links of your emails lead: unsubscribe, subscribe, preferences.',
    Webhooks: 'Called by Amazon SNS and by Stripe, not by you.',
    Operations: 'Health, readiness and metrics, for those who run the service.',
  },
};

/** @param used the tags of the document's routes, in the order of the reference */
export function presentSections(used: ReadonlySet<string>) {
  const texts = new Map(Object.values(chapters).flatMap(Object.entries<string>));
  return {
    tags: [...used].map((name) => ({ name, description: texts.get(name) })),
    'x-tagGroups': Object.entries(chapters).map(([name, sections]) => ({
      name,
      tags: Object.keys(sections).filter((section) => used.has(section)),
    })),
  };
}
