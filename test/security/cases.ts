/** An attack, and the tests that prove the defense: file and part of a test name. */
export interface SecurityCase {
  attack: string;
  tests: readonly [file: string, name: string][];
}

const contract = 'test/contract/checks.ts';

/** A case without a test counts as undefended. */
export const securityCases: readonly SecurityCase[] = [
  {
    attack: 'SNS notifications: forged, replayed, of another topic; genuine ones pass',
    tests: [
      ['providers/sns/verifier.test.ts', 'accepts genuine messages of each type'],
      ['providers/sns/verifier.test.ts', 'refuses a signature by another key'],
      ['providers/sns/verifier.test.ts', 'fetches no certificate from elsewhere'],
      ['providers/sns/verifier.test.ts', 'fetches nothing for a topic that is not ours'],
      ['providers/sns/verifier.test.ts', 'refuses a replay of an old message, but not a late delivery'],
      [
        'test/provider-events.test.ts',
        'is refused when it is forged, of another topic, or no message at all',
      ],
      [
        'db/statements/emails/apply-provider-events.test.ts',
        'that arrive in two processes at once are applied',
      ],
    ],
  },
  {
    attack: "received emails: forged, repeated, from someone else's bucket, in the name of a contact",
    tests: [
      ['test/inbound-notifications.test.ts', 'is refused when it is forged or of another topic'],
      [
        'test/inbound-notifications.test.ts',
        'counts once, however often it arrives and however often SES announces the email',
      ],
      ['test/inbound-notifications.test.ts', 'is refused if it names a bucket that is not configured'],
      ['test/inbound.test.ts', 'changes no contact, even when a sender forges its address'],
    ],
  },
  {
    attack:
      'received emails that contain script, a virus, or a bomb of parts, headers or lines, or that are not valid',
    tests: [
      ['core/inbound/inbound.test.ts', 'holds nothing that acts, whatever came in'],
      ['core/inbound/inbound.test.ts', 'are read whatever they hold, into bounded texts that can be stored'],
      ['core/inbound/inbound.test.ts', 'is read or refused, whatever it holds'],
      [
        'temporal/activities/inbound/email-parser.test.ts',
        'continues after a malformed email, one that takes too long',
      ],
      ['test/inbound.test.ts', '%s is kept without content, and triggers nothing'],
      ['test/inbound.test.ts', 'that is not a valid email is kept without content'],
      ['test/inbound.test.ts', 'beyond 30 MB is kept without content'],
    ],
  },
  {
    attack:
      'loops of mail: auto-replies, bounces, lists, our own emails, two machines that answer each other',
    tests: [
      ['test/inbound.test.ts', '%s: is in the feed, starts nothing, and ends no wait'],
      ['test/inbound.test.ts', 'an email of ours that comes back starts nothing and creates no contact'],
      ['test/inbound.test.ts', 'two auto-responders stop answering each other after twenty emails an hour'],
    ],
  },
  {
    attack: 'payment notifications: forged, altered, old',
    tests: [['test/billing.test.ts', 'that is forged, altered or old is refused, and nothing changes']],
  },
  {
    attack: 'a WEBHOOK step of many templates that holds the worker',
    tests: [
      [
        'temporal/activities/workflows/call-webhook.test.ts',
        'renders all texts of a call within the time of one rendering',
      ],
      ['temporal/activities/workflows/call-webhook.test.ts', 'gives others a turn while it renders'],
      [
        'temporal/activities/workflows/call-webhook.test.ts',
        'refuses a call stored when more Liquid was accepted: %s',
      ],
      ['core/workflows/step-config.test.ts', "Array.from({ length: 251 }, () => '{{ a }}')"],
    ],
  },
  {
    attack: 'workflows with 1 MB of steps, more of them than a worker keeps in memory',
    tests: [['core/workflows/graph.test.ts', 'each is read when its step is used']],
  },
  {
    attack: 'workflows that start each other, or themselves, endlessly',
    tests: [
      ['temporal/activities/workflows/endless.test.ts', "describe('workflows that start each other'"],
      ['temporal/activities/workflows/endless.test.ts', 'stored when half a minute was enough is stopped'],
      ['temporal/activities/workflows/endless.test.ts', 'driven by events of its own emails is stopped'],
      ['test/workflow-rings.test.ts', 'are stopped, and the last execution says why'],
      ['test/workflow-rings.test.ts', 'a loop whose rounds may take less than a minute can’t be enabled'],
    ],
  },
  {
    attack: 'floods with the public key: endless new event names and data keys',
    tests: [
      ['test/public-key-floods.test.ts', 'new event names are refused beyond 10,000'],
      ['test/public-key-floods.test.ts', 'new keys of data end at 10,000'],
      ['test/public-key-floods.test.ts', 'a file of new keys ends its import'],
      ['api/services/recorded-names.test.ts', 'refuses new names before they join the calls of others'],
      ['analytics/questions/questions.test.ts', 'the statistics of events list the most frequent names'],
    ],
  },
  {
    attack: 'server-side request forgery: by IP address in any form, by name, by DNS rebinding, by redirect',
    tests: [
      ['providers/outbound/outbound-http.test.ts', '%s, by itself and behind a name'],
      ['providers/outbound/public-address.test.ts', '%s: the first or last of %s'],
      ['providers/outbound/public-address.test.ts', 'the metadata service of a cloud'],
      ['providers/outbound/outbound-http.test.ts', "'2130706433', '0x7f000001', '0177.0.0.1', '127.1'"],
      ['providers/outbound/outbound-http.test.ts', 'also when it is one of several'],
      ['providers/outbound/outbound-http.test.ts', 'the address that was checked is the one that is called'],
      ['providers/outbound/outbound-http.test.ts', "describe('a redirect'"],
      ['providers/outbound/outbound-http.test.ts', 'elsewhere takes no secret along'],
    ],
  },
  {
    attack: "an account created with someone else's address, which the owner verifies later",
    tests: [
      ['test/accounts-prehijacking.test.ts', 'when its owner follows the verification link'],
      ['test/accounts-prehijacking.test.ts', 'when the owner resets the password'],
      ['test/accounts-prehijacking.test.ts', 'when the owner accepts an invitation'],
      ['test/accounts-oauth.test.ts', 'takes an account from someone who signed up'],
    ],
  },
  {
    attack: "someone else's sender domain: claimed first, shared, or owned before",
    tests: [
      [
        'test/domains.test.ts',
        'is proven by the TXT record of one project, even if another has added it before',
      ],
      ['api/services/domains.test.ts', 'belongs to the project that proves it, whichever came first'],
      ['api/services/domains.test.ts', 'the next project has to prove it'],
      ['providers/domains/ses-identities.test.ts', 'takes over no identity of %s'],
    ],
  },
  {
    attack: 'HTML or Liquid in project or user names, in account emails',
    tests: [['core/account-email/template.test.ts', 'shows names as they are, whatever is in them']],
  },
  {
    attack: 'header injection after rendering: subject, names, headers, file names',
    tests: [
      ['test/send.test.ts', 'keeps line breaks out of headers'],
      ['core/headers/headers.test.ts', 'never holds CR, LF or NUL, whatever came in'],
      ['core/rendering/email-document.test.ts', 'is safe in headers and never fails, whatever the data'],
      ['providers/email/smtp.test.ts', 'lets no header in through %j'],
      ['providers/email/ses.test.ts', 'lets no header in through %j'],
      ['providers/email/ses.test.ts', 'lets no header into raw MIME through %j'],
    ],
  },
  {
    attack: 'templates that never end, exhaust memory, or reach for a prototype',
    tests: [
      ['core/rendering/hostile-templates.test.ts', 'bounds %s'],
      ['core/rendering/hostile-templates.test.ts', 'stops what has no end'],
      ['core/rendering/hostile-templates.test.ts', 'gives hostile paths nothing'],
      ['core/rendering/hostile-templates.test.ts', 'pollutes no prototype and changes no variable'],
      ['core/rendering/hostile-emails.test.ts', 'stops at the first part that runs too long'],
      [
        'temporal/activities/sending/render-turns.test.ts',
        'the event loop does other work once they have blocked it for a while',
      ],
    ],
  },
  {
    attack: 'ids of another project, on every endpoint and in every body',
    tests: [
      [contract, 'reveals nothing of another project'],
      [contract, 'refuses ids of another project in its body'],
      [contract, "accepts a member's session instead of the key, and nobody else's"],
      ['test/accounts-projects.test.ts', 'does not exist, on no endpoint'],
    ],
  },
  {
    attack: 'the wrong kind of key, on every endpoint',
    tests: [
      [contract, 'refuses callers without its kind of key'],
      [contract, 'refuses callers who are not signed in'],
      [contract, 'refuses members whose role is not enough'],
    ],
  },
  {
    attack: 'cross-site requests with the cookie of a signed-in user',
    tests: [
      [contract, 'refuses a session on a cross-site request'],
      ['test/contract/lines/accounts.ts', 'another site sends the request'],
      [
        'api/edge/http-answers.test.ts',
        'are refused elsewhere, except from a configured dashboard with its cookie',
      ],
    ],
  },
  {
    attack: 'finding out who has an account, by answers and by timing',
    tests: [
      ['api/routes/accounts.test.ts', 'answers the same for a wrong password and an unknown address'],
      ['api/routes/accounts.test.ts', 'takes as long for an unknown address as for a wrong password'],
      ['test/accounts-links.test.ts', 'gets the same answer from %s for a known and an unknown address'],
      ['test/accounts-links.test.ts', 'by timing: the answer does not wait'],
    ],
  },
  {
    attack: "unlimited email to strangers through invitations, and an admin who takes an owner's place",
    tests: [
      ['test/accounts-members.test.ts', 'go to an address five times an hour, across concurrent inviters'],
      ['test/accounts-members.test.ts', 'are sent for a user twenty times an hour'],
      ['test/accounts-members.test.ts', 'are only sent for users with a verified address'],
      ['test/accounts-members.test.ts', 'replaces every invitation but that of an owner'],
    ],
  },
  {
    attack: 'filling the store with uploads',
    tests: [
      ['test/uploads-quota.test.ts', 'have a quota of bytes, exact under 50 concurrent calls'],
      ['test/uploads-quota.test.ts', 'go when the project is reset or deleted'],
    ],
  },
  {
    attack: 'floods with a session: requests, projects, domains, resets',
    tests: [
      ['test/accounts-limits.test.ts', 'are limited per user across processes'],
      ['test/accounts-limits.test.ts', 'a user never exceeds the project limit'],
      ['api/services/domains.test.ts', 'a project never has more domains than allowed'],
      ['test/accounts-erasure.test.ts', 'run one at a time: others are refused'],
    ],
  },
  {
    attack: 'guessing passwords from many addresses, and locking users out that way',
    tests: [
      ['test/accounts-login-limit.test.ts', 'are limited per account across all addresses'],
      ['test/accounts-login-limit.test.ts', 'are counted together when they arrive'],
      ['test/accounts-login-limit.test.ts', 'get the same answers when there is no such account'],
      ['test/accounts-login-limit.test.ts', 'from a device that signed in before, from any address'],
      ['test/accounts-login-limit.test.ts', 'from an address that signed in before'],
    ],
  },
  {
    attack:
      'a stolen session after it was signed out, one of another user, one from before sessions were recorded',
    tests: [
      ['test/accounts-sessions.test.ts', 'end one by one, at once, and only those of the user'],
      [
        'test/accounts-sessions.test.ts',
        'end everywhere else, including tokens from before sessions were recorded',
      ],
      ['test/accounts-sessions.test.ts', 'end with sign-out, and are not listed after a new password'],
      ['test/accounts-prehijacking.test.ts', 'when the link is sent with a session that was ended'],
      ['test/security/two-processes.test.ts', 'a session that ends is refused by the other process at once'],
    ],
  },
  {
    attack: 'a stolen session after the password was changed',
    tests: [['test/accounts-links.test.ts', 'ends every session: none survives the reset']],
  },
  {
    attack:
      'SQL and ClickHouse injection through names of fields and events, operators, values, queries and paths',
    tests: [
      ['test/security/injection.test.ts', 'through the data key %j'],
      ['test/security/injection.test.ts', 'through event names'],
      ['test/security/injection.test.ts', 'through operators, units, logic and built-in fields'],
      ['test/security/injection.test.ts', 'through values'],
      ['test/security/injection.test.ts', 'through queries'],
      ['test/analytics.test.ts', 'treats hostile names, dates, time zones and limits as values'],
      [contract, 'answers 404 to unknown ids and 422 to malformed ones'],
    ],
  },
  {
    attack: 'open redirects',
    tests: [
      ['test/public-pages-security.test.ts', 'an open redirect is not possible: no page leads anywhere else'],
      ['test/security/cases.test.ts', 'redirects only on the way to and from a sign-in provider'],
    ],
  },
  {
    attack: "script, style or policy in a project's brand, aimed at readers of its emails and pages",
    tests: [
      ['test/brand.test.ts', 'are treated as text whatever they contain'],
      ['test/brand.test.ts', "adds nothing from the logo's URL to the page"],
      ['test/brand.test.ts', "[{ logoUrl: 'https://a;script-src*/logo.png' }, 'logoUrl']"],
      ['core/logo-url.test.ts', "'data:image/svg+xml,<svg onload=alert(1)>'"],
    ],
  },
  {
    attack: 'unsubscribe links: guessed, and used for another purpose, contact or project',
    tests: [
      ['test/public-pages-security.test.ts', 'made up, changed, cut and lengthened tokens get the same page'],
      ['test/public-pages-security.test.ts', 'is rate-limited by address'],
      ['test/public-pages-security.test.ts', 'of one purpose does not work for another'],
      ['test/public-pages-security.test.ts', 'of another project, contact or email does not work'],
    ],
  },
  {
    attack: 'links of account emails: guessed, reused, read from the database, opened by scanners',
    tests: [
      ['test/accounts-pages.test.ts', 'links that are guessed are slowed down by address'],
      [
        'test/accounts-pages.test.ts',
        'verifies an address when its button is pressed, not when it is opened',
      ],
      ['test/accounts-links.test.ts', 'is useless to an attacker who reads the database'],
    ],
  },
  {
    attack: 'formulas in CSV that a spreadsheet runs',
    tests: [
      ['test/security/cases.test.ts', 'returns CSV only where formulas are neutralized'],
      ['core/csv/csv-row.test.ts', 'leaves no formula in %j'],
      ['test/contact-export.test.ts', 'runs no formula, neither of a value nor of a key'],
      ['test/email-exports.test.ts', 'is a file with the rows of the list, without deleted contacts'],
    ],
  },
  {
    attack: 'uploads with a false content type, or with script',
    tests: [
      ['test/uploads.test.ts', "describe('security of uploads'"],
      ['test/uploads.test.ts', 'answers 404 to every path that leads out of the folder'],
      ['core/images/check-image.test.ts', 'finds markup at any place, also across chunks'],
    ],
  },
  {
    attack: 'a flood of failing or large calls of one project that makes others wait',
    tests: [
      ['db/batching/failed-batches.test.ts', 'calls of other groups never wait for 10,000 bad items'],
      ['db/batching/batcher.test.ts', 'take turns, however much one of them has waiting'],
      ['db/batching/batcher.test.ts', 'of heavy items leave room for light ones'],
      ['test/heavy-reads.test.ts', 'searches of a project wait for each other, are refused beyond'],
      ['api/edge/statement-timeout.test.ts', 'answers 503 with Retry-After when a statement takes too long'],
    ],
  },
  {
    attack: 'bodies that are too large, too deep, or a decompression bomb',
    tests: [
      ['api/edge/http.test.ts', 'of unknown length are refused as soon as they are too large'],
      ['api/edge/http.test.ts', 'that are large wait for memory without delaying others or small ones'],
      ['api/edge/http.test.ts', 'that are only announced, or small without saying so, take no memory'],
      ['api/edge/http.test.ts', 'that have arrived and wait to be parsed are not given up'],
      ['api/edge/http.test.ts', 'that take long to validate let those of others and small ones go first'],
      ['test/large-sends.test.ts', 'large emails at once take bounded memory, all get through'],
      ['api/edge/http.test.ts', 'that are compressed are refused'],
      ['api/edge/parse-json.test.ts', 'accepts the deepest nesting and refuses one more'],
      ['core/contact-data/parse-contact-data.test.ts', 'takes 32 levels and refuses ten thousand at once'],
    ],
  },
  {
    attack: 'more requests than the limit, spread across two API processes',
    tests: [
      ['test/security/two-processes.test.ts', 'the rate limit of a project counts across two API processes'],
      ['api/access/rate-limiter.test.ts', 'never lets more than the limit through several processes'],
    ],
  },
  {
    attack: 'repeats with the same Idempotency-Key: 50 at once, after a crash, after each class of status',
    tests: [
      ['test/security/two-processes.test.ts', 'lets one of 50 equal requests over two processes through'],
      ['test/security/two-processes.test.ts', 'is kept when its process dies during the request'],
      ['api/edge/idempotency.test.ts', 'lets a successful request run once and tells repeats about it'],
      ['api/edge/idempotency.test.ts', 'is released by a refusal'],
      ['api/edge/idempotency.test.ts', 'is kept by a failure, which may have had an effect'],
    ],
  },
  {
    attack:
      'a project that starts very many executions, which makes the emails and executions of others wait',
    tests: [
      ['test/neighbours.test.ts', 'do not wait for thousands that one project starts'],
      [
        'temporal/client/emails-of-the-outbox.test.ts',
        'are sent while Temporal is still working on thousands',
      ],
      ['temporal/client/outbox-relay.test.ts', 'of projects take turns, whichever has waited longer'],
      ['db/statements/events/track-events.test.ts', 'share no statement with those of other projects'],
      ['db/statements/emails/accept-emails.test.ts', 'shares no statement with calls of other projects'],
      ['temporal/activities/emails/dispatch-emails.test.ts', 'are recorded in turns, and apart from those'],
      ['temporal/activities/jobs/jobs.test.ts', 'are imported few at a time'],
    ],
  },
  {
    attack: 'secrets in logs, errors and GET /config',
    tests: [
      ['test/security/two-processes.test.ts', 'secrets appear in no log line at the most verbose level'],
      ['api/services/public-config.test.ts', 'shows the value of no setting but those of the addresses'],
      ['api/edge/serve-routes.test.ts', 'hide internals, carry the request id and are logged with the stack'],
      ['test/public-pages-security.test.ts', 'a token in the URL reaches neither the log nor the metrics'],
    ],
  },
];
