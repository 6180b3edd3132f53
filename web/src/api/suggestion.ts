/** Translates suggestions of the API, which name routes and parameters, into actions of the dashboard. */
const words: readonly [RegExp, string][] = [
  [/If-Match/, 'Reload the page to see the change, then make yours.'],
  [/executions\/cancel-all/, 'Wait for them to end, or cancel them on the page of the workflow.'],
  [/billing-limits/, 'Raise the limit in the settings of the project, or wait for the next month.'],
  [/^POST \/domains/, 'Add it on the page Domains.'],
  [/^GET \/domains/, 'Its page under Domains shows which DNS records are missing.'],
  [/checkout/, 'Subscribe in the settings of the project.'],
  [/request-verification/, 'Ask for a new link on the page of your account.'],
  [/splice=/, 'Remove all but one of its connections first, or the step without them.'],
  [/trackMembership/, 'Switch on tracking in the settings of the segment.'],
  [/ISO 8601/, 'Choose the day and the time again.'],
];

/** Names a route, header, parameter or field, so it is not for users. */
const isForClients = /\b(GET|POST|PUT|PATCH|DELETE)\b|`|\b(header|cursor|path)\b|Idempotency-Key/;

/** @returns null for a suggestion that helps clients of the API only */
export function suggestionForPeople(suggestion: string | undefined): string | null {
  if (suggestion === undefined) return null;
  const known = words.find(([pattern]) => pattern.test(suggestion));
  if (known) return known[1];
  return isForClients.test(suggestion) ? null : suggestion.replace(/\b(\d+) seconds\b/, inMinutes);
}

const inMinutes = (text: string, seconds: string): string =>
  Number(seconds) < 120 ? text : `${Math.ceil(Number(seconds) / 60)} minutes`;
