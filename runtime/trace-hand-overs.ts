import type { EmailProvider } from '../providers/email/email-provider.ts';
import type { Tracing } from './tracing.ts';

/** Wraps hand-overs in spans. Reasons are left out: the provider may include an address in them. */
export function traceHandOvers(provider: EmailProvider, tracing: Tracing): EmailProvider {
  return {
    name: provider.name,
    handOver: (email) =>
      tracing.span(
        {
          name: `hand over to ${provider.name}`,
          isCall: true,
          emailId: email.emailId,
          facts: { 'posthaste.email.id': email.emailId, 'posthaste.project.id': email.projectId },
          result: ({ outcome }) => ({ 'posthaste.outcome': outcome }),
        },
        () => provider.handOver(email),
      ),
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
    grantedRatePerSecond: () => provider.grantedRatePerSecond(),
    close: () => provider.close(),
  };
}
