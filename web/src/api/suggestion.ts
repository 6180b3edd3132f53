/** Translates suggestions of the API, which name routes and parameters, into actions in the dashboard. */
const words: readonly [RegExp, string][] = [
  [/If-Match/, 'Reload the page to see the change, then make yours.'],
  [/executions\/cancel-all/, 'Wait for them to end, or cancel them on the workflow’s page.'],
  [/billing-limits/, 'Raise the limit in the project settings, or wait for the next month.'],
  [/^POST \/domains/, 'Add it on the Domains page.'],
  [/^GET \/domains/, 'Its page under Domains shows which DNS records are missing.'],
  [/checkout/, 'Subscribe in the project settings.'],
  [/request-verification/, 'Request a new link on your account page.'],
  [/splice=/, 'Remove all but one of its connections first, or the step without them.'],
  [/trackMembership/, 'Turn on tracking in the segment’s settings.'],
  [/ISO 8601/, 'Choose the date and time again.'],
];

/** The suggestion names a route, header, parameter or field, so it is not for users. */
const isForClients = /\b(GET|POST|PUT|PATCH|DELETE)\b|`|\b(header|cursor|path)\b|Idempotency-Key/;

/** @returns null if the suggestion helps only API clients */
export function suggestionForPeople(suggestion: string | undefined): string | null {
  if (suggestion === undefined) return null;
  const known = words.find(([pattern]) => pattern.test(suggestion));
  if (known) return known[1];
  return isForClients.test(suggestion) ? null : suggestion.replace(/\b(\d+) seconds\b/, inMinutes);
}

const inMinutes = (text: string, seconds: string): string =>
  Number(seconds) < 120 ? text : `${Math.ceil(Number(seconds) / 60)} minutes`;
