import { type EmailProvider, type OutgoingEmail, unanswered } from '../providers/email/email-provider.ts';
import type { Tracing } from './otlp-tracing.ts';

// Reasons are left out of spans: the provider may include an address in them.

/** A span for each hand-over of a transactional email, in the trace of that email, also when emails share a call. */
export function traceHandOvers(provider: EmailProvider, tracing: Tracing): EmailProvider {
  const spanOf = ({ emailId, projectId }: OutgoingEmail) => ({
    name: `hand over to ${provider.name}`,
    isCall: true,
    emailId,
    facts: { 'posthaste.email.id': emailId, 'posthaste.project.id': projectId },
    result: ({ outcome }: { outcome: string }) => ({ 'posthaste.outcome': outcome }),
  });
  return {
    ...provider,
    handOver: (email) => tracing.span(spanOf(email), () => provider.handOver(email)),
    handOverMany: (emails, signal) => {
      const answers = provider.handOverMany(emails, signal);
      return Promise.all(
        emails.map((email, index) =>
          tracing.span(spanOf(email), async () => (await answers)[index] ?? unanswered),
        ),
      );
    },
  };
}

/** A span for each call with emails of a campaign. */
export function traceBulkHandOvers(provider: EmailProvider, tracing: Tracing): EmailProvider {
  return {
    ...provider,
    handOverMany: (emails, signal) =>
      tracing.span(
        {
          name: `hand over to ${provider.name}`,
          isCall: true,
          facts: { 'posthaste.emails': emails.length, 'posthaste.project.id': emails[0]?.projectId },
          result: (answers) => ({
            'posthaste.emails.sent': answers.filter(({ outcome }) => outcome === 'accepted').length,
          }),
        },
        () => provider.handOverMany(emails, signal),
      ),
  };
}
